// +groupName=markers.example.com
// +versionName=v1alpha1
package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Mark is not made of this version.
// +kubebuilder:object:root=true
// +kubebuilder:skipversion
// +kubebuilder:resource:path=markings,shortName=mk,scope=Cluster,singular=marking
type Mark struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
}
