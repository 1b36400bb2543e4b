package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

type operatorOptions struct {
	namespace, certDir string
	port               int
	identity           string
}

// operator keeps a ConfigMap of each Widget, says so in its status and in an event, and serves the webhooks of the kind.
func operator(ctx context.Context, config *rest.Config, options operatorOptions) error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	addWidgets(scheme)
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{options.namespace: {}}},
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		WebhookServer:                 webhook.NewServer(webhook.Options{Port: options.port, CertDir: options.certDir}),
		LeaderElection:                true,
		LeaderElectionID:              "widgets.kubeling.test",
		LeaderElectionNamespace:       options.namespace,
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return err
	}
	reconciler := &widgetReconciler{Client: manager.GetClient(), identity: options.identity}
	if err := ctrl.NewControllerManagedBy(manager).For(&WidgetV2{}).Owns(&corev1.ConfigMap{}).Complete(reconciler); err != nil {
		return err
	}
	if err := ctrl.NewWebhookManagedBy(manager, &WidgetV2{}).WithDefaulter(defaulter{}).WithValidator(validator{}).Complete(); err != nil {
		return err
	}
	go func() {
		<-manager.Elected()
		fmt.Println("leading:", options.identity)
	}()
	fmt.Println("starting:", options.identity)
	err = manager.Start(ctx)
	fmt.Println("stopped:", options.identity)
	return err
}

type widgetReconciler struct {
	client.Client
	identity string
}

func (r *widgetReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var widget WidgetV2
	if err := r.Get(ctx, request.NamespacedName, &widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !widget.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(&widget, finalizer) {
			return ctrl.Result{}, r.Update(ctx, &widget)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(&widget, finalizer) {
		return ctrl.Result{}, r.Update(ctx, &widget)
	}
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: widget.Name + "-settings", Namespace: widget.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, owned, func() error {
		owned.Data = map[string]string{"size": fmt.Sprint(widget.Spec.Size), "colour": widget.Spec.Colour}
		return controllerutil.SetControllerReference(&widget, owned, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}
	if widget.Status.ObservedGeneration == widget.Generation && widget.Status.By == r.identity {
		return ctrl.Result{}, nil
	}
	before := widget.DeepCopyObject().(*WidgetV2)
	widget.Status = WidgetStatus{ObservedGeneration: widget.Generation, By: r.identity}
	return ctrl.Result{}, r.Status().Patch(ctx, &widget, client.MergeFrom(before))
}
