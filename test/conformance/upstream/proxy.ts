/**
 * Cluster IPs for the suite: the cluster serves none itself, so upstream's kube-proxy runs beside it, in the network namespace of this machine. Its rules are taken out at the end; where
 * another kube-proxy has rules already, nothing is started, since both would write the same chains.
 */
import { SERVICE_SUBNET } from '../../../cluster/layout.ts';
import { must, run, Running } from '../../tools/command.ts';
import { freePort } from '../../../cluster/ports.ts';
import { kubernetesTool } from './tools.ts';

export async function clusterIps(kubeconfig: string, nodeName: string): Promise<AsyncDisposable> {
	const binary = await kubernetesTool('kube-proxy', { package: 'k8s.io/kubernetes/cmd/kube-proxy' });
	if ((await run('iptables', ['-t', 'nat', '-nL', 'KUBE-SERVICES'])).code === 0)
		throw new Error('This machine has rules of a kube-proxy already (iptables chain KUBE-SERVICES)');
	const [healthz, metrics] = [await freePort(20_256, '127.0.0.1'), await freePort(20_456, '127.0.0.1')];
	// What it would set for the whole machine stays as it is.
	const untouched = ['max-per-core=0', 'min=0', 'tcp-timeout-established=0s', 'tcp-timeout-close-wait=0s'].map((f) => `--conntrack-${f}`);
	const flags = [
		`--kubeconfig=${kubeconfig}`,
		`--hostname-override=${nodeName}`,
		'--proxy-mode=iptables',
		'--iptables-localhost-nodeports=false',
		`--healthz-bind-address=127.0.0.1:${healthz}`,
		`--metrics-bind-address=127.0.0.1:${metrics}`,
		...untouched,
	];
	await using started = new AsyncDisposableStack();
	started.defer(async () => void (await must(binary, ['--cleanup'])));
	const proxy = started.use(new Running(binary, flags, process.env));
	await proxy.waitFor(/Caches are synced" controller="service config"/);
	for (const chain of ['FORWARD', 'OUTPUT']) started.use(await refuseRest(chain));
	return started.move();
}

/**
 * What kube-proxy has sent to no endpoint by then is for a port that no service has. Its iptables mode lets that out by the default route, and there are networks where something answers for
 * every address.
 */
async function refuseRest(chain: string): Promise<AsyncDisposable> {
	const rule = [chain, '-d', SERVICE_SUBNET, '-j', 'REJECT', '--reject-with', 'icmp-port-unreachable'];
	await must('iptables', ['-w', '-I', ...rule]);
	return { [Symbol.asyncDispose]: async () => void (await must('iptables', ['-w', '-D', ...rule])) };
}
