// Clients in Go for the conformance tests: client-go by itself ("clients"), and an operator on controller-runtime ("operator").
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

func main() {
	ctrl.SetLogger(klog.Background())
	if len(os.Args) < 2 {
		fail(fmt.Errorf("say clients or operator"))
	}
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	namespace := flags.String("namespace", "default", "where everything happens")
	certDir := flags.String("cert-dir", "", "of the webhook server")
	port := flags.Int("port", 0, "of the webhook server")
	identity := flags.String("identity", "", "in leader election")
	fail(flags.Parse(os.Args[2:]))
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	fail(err)
	config.QPS, config.Burst = 200, 200 // what is measured is the server, not the client's patience
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	switch os.Args[1] {
	case "clients":
		fail(clients(ctx, config, *namespace))
	case "operator":
		fail(operator(ctx, config, operatorOptions{*namespace, *certDir, *port, *identity}))
	default:
		fail(fmt.Errorf("unknown: %s", os.Args[1]))
	}
}

// Every request leaves in protobuf where the kind allows it, as client-go's own tools send it.
func protobuf(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return config
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
		os.Exit(1)
	}
}
