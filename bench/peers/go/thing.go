package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Thing is what the benchmark lists and watches.
type Thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ThingSpec   `json:"spec,omitempty"`
	Status            ThingStatus `json:"status,omitempty"`
}

type ThingSpec struct {
	Containers    []Container `json:"containers,omitempty"`
	NodeName      string      `json:"nodeName,omitempty"`
	RestartPolicy string      `json:"restartPolicy,omitempty"`
}

type Container struct {
	Name      string    `json:"name,omitempty"`
	Image     string    `json:"image,omitempty"`
	Args      []string  `json:"args,omitempty"`
	Env       []EnvVar  `json:"env,omitempty"`
	Resources Resources `json:"resources,omitempty"`
}

type EnvVar struct {
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
}

type Resources struct {
	Limits   map[string]string `json:"limits,omitempty"`
	Requests map[string]string `json:"requests,omitempty"`
}

type ThingStatus struct {
	Phase      string      `json:"phase,omitempty"`
	Conditions []Condition `json:"conditions,omitempty"`
}

type Condition struct {
	Type               string      `json:"type,omitempty"`
	Status             string      `json:"status,omitempty"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitempty"`
}

type ThingList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Thing `json:"items"`
}

func addMeta(scheme *runtime.Scheme) { metav1.AddToGroupVersion(scheme, groupVersion) }

func copyMap(in map[string]string) map[string]string {
	if in == nil {
		return nil
	}
	out := make(map[string]string, len(in))
	for key, value := range in {
		out[key] = value
	}
	return out
}

func (in *Thing) DeepCopyInto(out *Thing) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Containers = make([]Container, len(in.Spec.Containers))
	for i, container := range in.Spec.Containers {
		container.Args = append([]string(nil), container.Args...)
		container.Env = append([]EnvVar(nil), container.Env...)
		container.Resources.Limits = copyMap(container.Resources.Limits)
		container.Resources.Requests = copyMap(container.Resources.Requests)
		out.Spec.Containers[i] = container
	}
	out.Status.Conditions = make([]Condition, len(in.Status.Conditions))
	for i, condition := range in.Status.Conditions {
		condition.LastTransitionTime.DeepCopyInto(&condition.LastTransitionTime)
		out.Status.Conditions[i] = condition
	}
}

func (in *Thing) DeepCopyObject() runtime.Object {
	out := &Thing{}
	in.DeepCopyInto(out)
	return out
}

func (in *ThingList) DeepCopyObject() runtime.Object {
	out := &ThingList{TypeMeta: in.TypeMeta, Items: make([]Thing, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}
