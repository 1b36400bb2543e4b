/** Cluster DNS for the suite: the cluster has none itself, so CoreDNS, built from its Go module, runs beside it on this machine and is shown to pods as the Service kube-dns. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../cluster/ports.ts';
import { must, Running } from '../../tools/command.ts';
import { goTool } from '../../tools/go-tool.ts';
import { SHARED_MODULES } from '../../tools/shared-modules.ts';

/** The address that upstream's tools give it too. */
export const CLUSTER_DNS = '10.96.0.10';
const VERSION = '1.14.3';

/** CoreDNS with the plug-ins that are used here; all of them would bring the libraries of every cloud. */
const MAIN = `package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
)

func init() { dnsserver.Directives = []string{"errors", "cache", "kubernetes"} }

func main() { coremain.Run() }
`;

export function coredns(): Promise<string> {
	const modules = [...SHARED_MODULES, `github.com/coredns/coredns@v${VERSION}`];
	return goTool({ name: `coredns-${VERSION}`, modules, main: MAIN });
}

/** The configuration by which the node's pods ask it: for `kubeling up --kubelet-config`. */
export async function kubeletConfig(dir: string): Promise<string> {
	const path = join(dir, 'kubelet.yaml');
	await writeFile(path, `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nclusterDNS: [${CLUSTER_DNS}]\n`);
	return path;
}

export interface DnsPlace {
	readonly dir: string;
	readonly kubeconfig: string;
	readonly kubectl: string;
	readonly nodeName: string;
	readonly env: NodeJS.ProcessEnv;
}

export async function clusterDns({ dir, kubeconfig, kubectl, nodeName, env }: DnsPlace): Promise<AsyncDisposable> {
	const port = await freePort(20_653, '0.0.0.0');
	const zones = 'cluster.local in-addr.arpa ip6.arpa';
	const corefile = join(dir, 'Corefile');
	await writeFile(
		corefile,
		`.:${port} {\n\terrors\n\tcache 5\n\tkubernetes ${zones} {\n\t\tkubeconfig ${kubeconfig}\n\t\tpods insecure\n\t}\n}\n`,
	);
	await using started = new AsyncDisposableStack();
	const server = started.use(new Running(await coredns(), ['-conf', corefile], env));
	await server.waitFor(/CoreDNS-/);
	const asked = ['get', 'node', nodeName, '-o', 'jsonpath={.status.addresses[?(@.type=="InternalIP")].address}'];
	const address = (await must(kubectl, asked, { env })).split(' ')[0] ?? '';
	const items = [service(port), endpoints(address, port)];
	await must(kubectl, ['apply', '-f', '-'], { env, input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
	return started.move();
}

const PROTOCOLS = [
	['dns', 'UDP'],
	['dns-tcp', 'TCP'],
] as const;

function service(port: number): object {
	const ports = PROTOCOLS.map(([name, protocol]) => ({ name, protocol, port: 53, targetPort: port }));
	const metadata = { name: 'kube-dns', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } };
	return { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: CLUSTER_DNS, ports } };
}

function endpoints(address: string, port: number): object {
	return {
		apiVersion: 'discovery.k8s.io/v1',
		kind: 'EndpointSlice',
		metadata: { name: 'kube-dns', namespace: 'kube-system', labels: { 'kubernetes.io/service-name': 'kube-dns' } },
		addressType: 'IPv4',
		endpoints: [{ addresses: [address], conditions: { ready: true } }],
		ports: PROTOCOLS.map(([name, protocol]) => ({ name, protocol, port })),
	};
}
