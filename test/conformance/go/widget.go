package main

import (
	"context"
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const (
	group     = "kubeling.test"
	finalizer = "kubeling.test/widget"
)

// WidgetV2 is what is stored: the size is a number. In v1 it was a text.
type WidgetV2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Size   int    `json:"size"`
		Colour string `json:"colour,omitempty"`
	} `json:"spec"`
	Status WidgetStatus `json:"status,omitempty"`
}

type WidgetStatus struct {
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
	By                 string `json:"by,omitempty"`
}

type WidgetV1 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Size   string `json:"size"`
		Colour string `json:"colour,omitempty"`
	} `json:"spec"`
	Status WidgetStatus `json:"status,omitempty"`
}

type WidgetV2List struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []WidgetV2 `json:"items"`
}

type WidgetV1List struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []WidgetV1 `json:"items"`
}

func (w *WidgetV2) DeepCopyObject() runtime.Object {
	out := *w
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func (w *WidgetV1) DeepCopyObject() runtime.Object {
	out := *w
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func (l *WidgetV2List) DeepCopyObject() runtime.Object {
	out := &WidgetV2List{TypeMeta: l.TypeMeta, ListMeta: l.ListMeta}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*WidgetV2))
	}
	return out
}

func (l *WidgetV1List) DeepCopyObject() runtime.Object {
	out := &WidgetV1List{TypeMeta: l.TypeMeta, ListMeta: l.ListMeta}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*WidgetV1))
	}
	return out
}

func (*WidgetV2) Hub() {}

func (w *WidgetV1) ConvertTo(hub conversion.Hub) error {
	out := hub.(*WidgetV2)
	size, err := strconv.Atoi(w.Spec.Size)
	if err != nil {
		return err
	}
	out.ObjectMeta, out.Status = w.ObjectMeta, w.Status
	out.Spec.Size, out.Spec.Colour = size, w.Spec.Colour
	return nil
}

func (w *WidgetV1) ConvertFrom(hub conversion.Hub) error {
	in := hub.(*WidgetV2)
	w.ObjectMeta, w.Status = in.ObjectMeta, in.Status
	w.Spec.Size, w.Spec.Colour = strconv.Itoa(in.Spec.Size), in.Spec.Colour
	return nil
}

func addWidgets(scheme *runtime.Scheme) {
	v1 := schema.GroupVersion{Group: group, Version: "v1"}
	v2 := schema.GroupVersion{Group: group, Version: "v2"}
	scheme.AddKnownTypeWithName(v2.WithKind("Widget"), &WidgetV2{})
	scheme.AddKnownTypeWithName(v2.WithKind("WidgetList"), &WidgetV2List{})
	scheme.AddKnownTypeWithName(v1.WithKind("Widget"), &WidgetV1{})
	scheme.AddKnownTypeWithName(v1.WithKind("WidgetList"), &WidgetV1List{})
	metav1.AddToGroupVersion(scheme, v1)
	metav1.AddToGroupVersion(scheme, v2)
}

type defaulter struct{}

func (defaulter) Default(_ context.Context, widget *WidgetV2) error {
	if widget.Spec.Colour == "" {
		widget.Spec.Colour = "green"
	}
	return nil
}

type validator struct{}

func (validator) ValidateCreate(_ context.Context, widget *WidgetV2) (admission.Warnings, error) {
	return check(widget)
}

func (validator) ValidateUpdate(_ context.Context, _, widget *WidgetV2) (admission.Warnings, error) {
	return check(widget)
}

func (validator) ValidateDelete(context.Context, *WidgetV2) (admission.Warnings, error) {
	return nil, nil
}

func check(widget *WidgetV2) (admission.Warnings, error) {
	if widget.Spec.Size > 100 {
		return nil, fmt.Errorf("size %d is more than 100", widget.Spec.Size)
	}
	if widget.Spec.Size > 50 {
		return admission.Warnings{"this is a large widget"}, nil
	}
	return nil, nil
}
