// +groupName=markers.example.com
// +versionName=v1beta1
// +kubebuilder:validation:Optional
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Mark was this before.
// +kubebuilder:object:root=true
// +kubebuilder:unservedversion
// +kubebuilder:deprecatedversion
// +kubebuilder:resource:path=markings,shortName=mk,scope=Cluster,singular=marking
// +kubebuilder:subresource:status
type Mark struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// +required
	Spec   MarkSpec   `json:"spec"`
	Status MarkStatus `json:"status,omitempty"`
}

// MarkSpec was smaller.
type MarkSpec struct {
	// Nothing says that it must be given: the package says that it need not.
	Name string `json:"name"`
	// +kubebuilder:validation:Required
	Must string `json:"must"`
}

// MarkStatus is seen.
type MarkStatus struct {
	// +nullable
	Seen *bool `json:"seen"`
}
