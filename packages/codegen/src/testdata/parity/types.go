// +groupName=parity.example.com
// +versionName=v1
package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Shape has a field of each form.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:resource:path=shapes,shortName=sh;shp,categories=all;parity,scope=Namespaced,singular=shape
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.spec.replicas`,description="How many",priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:selectablefield:JSONPath=`.spec.color`
// +kubebuilder:deprecatedversion:warning="v1 goes away"
// +kubebuilder:metadata:labels="team=shapes",annotations="example.com/note=a note"
// +kubebuilder:externalDocs:url="https://example.com/docs",description="More"
// +kubebuilder:validation:XValidation:rule="self.metadata.name != 'no'",message="not no"
type Shape struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec ShapeSpec `json:"spec"`
	// +optional
	Status ShapeStatus `json:"status,omitempty"`
}

// Color is one of three.
// +kubebuilder:validation:Enum=red;green;blue
type Color string

// Port is a number of a port.
// +kubebuilder:validation:Minimum=1
// +kubebuilder:validation:Maximum=65535
type Port int32

// ShapeSpec says what is wanted: a description that is long enough to be broken over several lines by the writer of the file.
// +kubebuilder:validation:XValidation:rule="self.replicas <= 5 || self.color == 'red'",message="many are red: always",reason=FieldValueForbidden,fieldPath=".replicas"
// +kubebuilder:validation:AtMostOneOf=left;right
// +kubebuilder:validation:ExactlyOneOf=up;down
// +kubebuilder:validation:AtLeastOneOf=up;left;down
type ShapeSpec struct {
	// How many.
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:ExclusiveMaximum=true
	// +kubebuilder:validation:Maximum=100
	Replicas int32 `json:"replicas"`
	Color    Color `json:"color"`
	// The port, in other words.
	Port   Port   `json:"port,omitempty"`
	Ports  []Port `json:"ports,omitempty"`
	Plain  string `json:"plain"`
	Large  int64  `json:"large,omitempty"`
	Whole  int    `json:"whole,omitempty"`
	On     bool   `json:"on,omitempty"`
	Factor float64 `json:"factor,omitempty"`
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z]([-a-z0-9]*[a-z0-9])?$`
	Name string `json:"name,omitempty"`
	// +kubebuilder:validation:Format=email
	Mail string `json:"mail,omitempty"`
	// +kubebuilder:validation:MultipleOf=5
	Fives int32 `json:"fives,omitempty"`
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=3
	// +listType=set
	Names []string `json:"names,omitempty"`
	// +kubebuilder:validation:items:MinLength=2
	Words []string `json:"words,omitempty"`
	// +listType=map
	// +listMapKey=name
	// +listMapKey=port
	Entries []Entry `json:"entries,omitempty"`
	// +listType=atomic
	Fixed []string `json:"fixed,omitempty"`
	// +mapType=atomic
	Labels map[string]string `json:"labels,omitempty"`
	// +kubebuilder:validation:MinProperties=1
	// +kubebuilder:validation:MaxProperties=4
	Limits map[string]resource.Quantity `json:"limits,omitempty"`
	// +structType=atomic
	Entry    Entry               `json:"entry,omitempty"`
	Size     resource.Quantity   `json:"size,omitempty"`
	Target   intstr.IntOrString  `json:"target,omitempty"`
	Since    metav1.Time         `json:"since,omitempty"`
	Interval metav1.Duration     `json:"interval,omitempty"`
	Data     []byte              `json:"data,omitempty"`
	// +nullable
	Nullable *string `json:"nullable,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	Anything *Any `json:"anything,omitempty"`
	// +kubebuilder:pruning:PreserveUnknownFields
	Open Entry `json:"open,omitempty"`
	// +kubebuilder:validation:EmbeddedResource
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:Schemaless
	Template *Any `json:"template,omitempty"`
	// +kubebuilder:default={name: "x", port: 80}
	Defaulted Entry `json:"defaulted,omitempty"`
	// +kubebuilder:default={"a","b"}
	DefaultedList []string `json:"defaultedList,omitempty"`
	// +kubebuilder:example="an example"
	// +kubebuilder:title="A title"
	Shown string `json:"shown,omitempty"`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",messageExpression="'was ' + oldSelf"
	Fixed2 string `json:"fixed2,omitempty"`
	// One.
	//
	// Two, after an empty line: with "quotes" and # signs.
	Lines     string                      `json:"lines,omitempty"`
	Left      string                      `json:"left,omitempty"`
	Right     string                      `json:"right,omitempty"`
	Up        string                      `json:"up,omitempty"`
	Down      string                      `json:"down,omitempty"`
	Selector  *metav1.LabelSelector       `json:"selector,omitempty"`
	Secret    *corev1.SecretKeySelector   `json:"secret,omitempty"`
	Reference *corev1.ObjectReference     `json:"reference,omitempty"`
	Resources corev1.ResourceRequirements `json:"resources,omitempty"`
	Meta      metav1.ObjectMeta           `json:"meta,omitempty"`
	Matrix    [][]string                  `json:"matrix,omitempty"`
	Nested    map[string][]Entry          `json:"nested,omitempty"`
}

type Any struct{}

type Entry struct {
	Name string `json:"name"`
	Port Port   `json:"port"`
	// +optional
	Note string `json:"note,omitempty"`
}

// ShapeStatus is what was seen.
type ShapeStatus struct {
	Replicas int32  `json:"replicas,omitempty"`
	Selector string `json:"selector,omitempty"`
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
