/** Reads and writes API objects in etcd as upstream does: the etcd client and client-go's own scheme and protobuf serializer. */
import { goTool } from './go-tool.ts';
import { SHARED_MODULES } from './shared-modules.ts';

const MAIN = `package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// get ENDPOINT KEY: prints the object there as JSON. raw ENDPOINT KEY: prints the bytes. put ENDPOINT KEY: stores the JSON object on standard input in protobuf.
func main() {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{os.Args[2]}, DialTimeout: 5 * time.Second})
	must(err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	decoder := scheme.Codecs.UniversalDeserializer()
	switch os.Args[1] {
	case "get":
		answer, err := client.Get(ctx, os.Args[3])
		must(err)
		if len(answer.Kvs) == 0 {
			must(fmt.Errorf("no key %s", os.Args[3]))
		}
		object, _, err := decoder.Decode(answer.Kvs[0].Value, nil, nil)
		must(err)
		must(json.NewEncoder(os.Stdout).Encode(object))
	case "raw":
		answer, err := client.Get(ctx, os.Args[3])
		must(err)
		fmt.Printf("%s", answer.Kvs[0].Value)
	case "put":
		text, err := io.ReadAll(os.Stdin)
		must(err)
		object, _, err := decoder.Decode(text, nil, nil)
		must(err)
		var value writer
		must(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &value))
		_, err = client.Put(ctx, os.Args[3], string(value))
		must(err)
	}
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }
`;

export function etcdObjects(): Promise<string> {
	return goTool({
		name: 'etcd-objects-1.36.1',
		modules: [...SHARED_MODULES, 'go.etcd.io/etcd/client/v3@v3.6.5'],
		main: MAIN,
	});
}
