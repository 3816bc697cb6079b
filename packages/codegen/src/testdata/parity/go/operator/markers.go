package operator

// +kubebuilder:rbac:groups=apps,resources=deployments;statefulsets,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=create
// +kubebuilder:rbac:groups=apps,resources=deployments/scale,verbs=patch,resourceNames=one;two
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get,namespace=prod
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get,namespace=prod,roleName=reader
// +kubebuilder:rbac:urls=/metrics,verbs=get

// +kubebuilder:webhook:path=/mutate-markers-example-com-v1-mark,mutating=true,failurePolicy=ignore,sideEffects=None,groups=markers.example.com,resources=markings,verbs=create;update,versions=v1,name=mmark-v1.kb.io,admissionReviewVersions=v1,timeoutSeconds=5,reinvocationPolicy=IfNeeded,matchPolicy=Exact
// +kubebuilder:webhook:path=/validate-markers-example-com-v1-mark,mutating=false,failurePolicy=fail,sideEffects=NoneOnDryRun,groups=markers.example.com,resources=markings,verbs=create;update;delete,versions=v1,name=vmark-v1.kb.io,admissionReviewVersions=v1
