// +groupName=markers.example.com
// +versionName=v1
// +kubebuilder:validation:Required
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Mark is a kind of two versions.
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:path=markings,shortName=mk,scope=Cluster,singular=marking
// +kubebuilder:printcolumn:name="Size",type=integer,JSONPath=`.spec.above`,format=int32
// +kubebuilder:externalDocs:url="https://example.com/marks",description="Marks"
type Mark struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              MarkSpec `json:"spec"`
}

// Level is one of what is declared.
// +k8s:enum
type Level string

const (
	LevelLow  Level = "low"
	LevelHigh Level = "high"
)

// Loose is an object of which only one field is known.
// +kubebuilder:pruning:PreserveUnknownFields
type Loose struct {
	// +optional
	Known string `json:"known,omitempty"`
}

// Text is written in another way.
// +kubebuilder:validation:Type=string
type Text struct{}

// Base is taken over.
type Base struct {
	// From the base.
	// +kubebuilder:validation:MaxLength=5
	// +optional
	Taken string `json:"taken,omitempty"`
}

// MarkSpec has a field for each marker.
// +kubebuilder:validation:AtLeastOneOf=one;two
// +kubebuilder:validation:XValidation:rule="self.one == oldSelf.orValue(self).one",message="stays",optionalOldSelf=true
type MarkSpec struct {
	Base `json:",inline"`
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:ExclusiveMinimum=true
	Above int32 `json:"above,omitempty"`
	// +optional
	Level Level `json:"level,omitempty"`
	// +kubebuilder:validation:Optional
	Other Text `json:"other,omitempty"`
	// +k8s:optional
	Loose Loose `json:"loose,omitempty"`
	// +optional
	// +kubebuilder:validation:XEmbeddedResource
	// +kubebuilder:validation:XPreserveUnknownFields
	Embedded *runtime.RawExtension `json:"embedded,omitempty"`
	// +optional
	// +kubebuilder:validation:XIntOrString
	Port *intstr.IntOrString `json:"port,omitempty"`
	// +k8s:immutable
	Name string `json:"name"`
	// +optional
	// +k8s:immutable
	Class string `json:"class,omitempty"`
	// +optional
	// +k8s:listType=map
	// +k8s:listMapKey=key
	Pairs []Pair `json:"pairs,omitempty"`
	// +optional
	// +default="medium"
	Size string `json:"size,omitempty"`
	// +optional
	// +kubebuilder:validation:items:Pattern=`^[a-z]+$`
	// +kubebuilder:validation:items:MaxLength=9
	// +kubebuilder:validation:items:XValidation:rule="self != 'no'",message="not no",reason=FieldValueForbidden
	Words []string `json:"words,omitempty"`
	// +optional
	// +kubebuilder:validation:items:Maximum=9
	// +kubebuilder:validation:items:Enum=1;2;3
	Numbers []int64 `json:"numbers,omitempty"`
	// +optional
	// +kubebuilder:validation:Enum=a;b
	Inline string `json:"inline,omitempty"`
	// +optional
	// +kubebuilder:externalDocs:url="https://example.com/one",description="One"
	One string `json:"one,omitempty"`
	// +optional
	Two string `json:"two,omitempty"`
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	// +optional
	Free *Free `json:"free,omitempty"`
	// +optional
	Raw *runtime.RawExtension `json:"raw,omitempty"`
	// +required
	Must string `json:"must,omitempty"`
	// +optional
	Many map[string]metav1.Duration `json:"many,omitempty"`
	// +optional
	When *metav1.MicroTime `json:"when,omitempty"`
}

type Free struct{}

// Pair is a key and a value.
type Pair struct {
	// +kubebuilder:validation:MinLength=1
	Key string `json:"key"`
	// +optional
	Value string `json:"value,omitempty"`
}
