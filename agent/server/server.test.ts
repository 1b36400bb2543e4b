/** The kubelet API over real TLS: who may, what each path answers, and certificates renewed under way. */
import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import type { Client } from '../../client/client.ts';
import { realClock } from '../../base/clock.ts';
import { c, playing } from '../../test/fakes/playing.ts';
import type { SimulatedNode } from '../../test/fakes/simulated-node.ts';
import { eventually } from '../../test/tools/eventually.ts';
import { createAuthority, issue } from '../../wire/tls/authority.ts';
import { CpuRates } from './cpu-rates.ts';
import { exposition } from './exposition.ts';
import { countPods } from '../pod/pod-figures.ts';
import { startServer, type KubeletServer } from './server.ts';

const authority = await createAuthority({ commonName: 'ca', days: 10 }, realClock);
const leaf = (commonName: string) =>
	issue(authority, { commonName, ipAddresses: ['127.0.0.1'], usages: ['server', 'client'], days: 5 }, realClock);
const [serving, second, admin] = await Promise.all([leaf('node'), leaf('node-renewed'), leaf('admin')]);

let current = serving;
let cas = authority.certPem;

interface Answer {
	readonly status: number;
	readonly body: string;
	readonly peer: string;
}

function get(port: number, path: string, identity: { certPem: string; keyPem: string } | undefined, token?: string): Promise<Answer> {
	const client = identity === undefined ? {} : { cert: identity.certPem, key: identity.keyPem };
	const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
	return new Promise((resolve, reject) => {
		request({ host: '127.0.0.1', port, path, ca: authority.certPem, agent: false, headers, ...client }, (response) => {
			const peer = String((response.socket as TLSSocket).getPeerCertificate().subject['CN']);
			let body = '';
			response.setEncoding('utf8');
			response.on('data', (text: string) => (body += text));
			response.on('end', () => resolve({ status: response.statusCode ?? 0, body, peer }));
		})
			.once('error', reject)
			.end();
	});
}

/** A node with one pod that runs, and a kubelet API that trusts "admin" and the token "good". */
async function serve(
	t: ExecutionContext,
	allowed: (subresource: string) => boolean = () => true,
): Promise<{ node: SimulatedNode; server: KubeletServer }> {
	const { node } = await playing();
	await node.create('p', { containers: [c({ readinessProbe: { exec: { command: ['x'] } } })] });
	await node.advance(20_000);
	const create = async (
		_resource: unknown,
		{ spec }: { spec: { token?: string; resourceAttributes?: { subresource: string } } },
	): Promise<unknown> =>
		spec.token === undefined
			? { status: { allowed: allowed(spec.resourceAttributes?.subresource ?? '') } }
			: { status: { authenticated: spec.token === 'good', user: { username: 'someone' } } };
	const client = { ...node.context.client, create } as unknown as Client;
	const options = { ...node.context.options, bindAddress: '127.0.0.1', serving: () => current, clientCas: () => cas };
	const server = await startServer({
		context: { ...node.context, client, options },
		pods: () => [node.pod('p')].filter((p) => p !== undefined),
		count: () => countPods(node.context.figures, node.workers.lives, 0),
		rates: new CpuRates(),
	});
	t.teardown(async () => {
		await server.close();
		await node[Symbol.asyncDispose]();
	});
	return { node, server };
}

for (const [path, status, body] of [
	['/healthz', 200, /^ok$/],
	['/healthz/ping', 200, /^ok$/],
	['/healthz/syncloop', 200, /^ok$/],
	['/healthz/other', 404, /./],
	['/pods', 200, /^{"kind":"PodList".*"name":"p"/],
	['/runningpods/', 200, /"name":"c"/],
	['/configz', 200, /"kubeletconfig":{.*"maxPods":110/],
	['/configz', 200, /"serializeImagePulls":true,.*"cpuManagerPolicy":"none",.*"memorySwap":{"swapBehavior":"NoSwap"}/],
	['/configz', 200, /"webhook":{"enabled":true,"cacheTTL":"2m0s"}.*"cacheAuthorizedTTL":"5m0s","cacheUnauthorizedTTL":"30s"/],
	['/stats/summary', 200, /"podRef":{"name":"p","namespace":"n"/],
	['/stats/summary?only_cpu_and_memory=true', 200, /^(?!.*"fs").*"usageCoreNanoSeconds"/],
	['/metrics', 200, /kubelet_running_pods 1[^]*kubelet_running_containers{container_state="running"} 1/],
	['/metrics', 200, /kubelet_working_pods{lifecycle="sync",config="desired",static="false"} 1/],
	['/metrics', 200, /kubelet_desired_pods{static=""} 1[^]*kubelet_active_pods{static="true"} 0[^]*kubelet_mirror_pods 0/],
	['/metrics', 200, /kubelet_run_podsandbox_duration_seconds_count{runtime_handler=""} 1/],
	['/metrics', 200, /kubelet_pod_status_sync_duration_seconds_count [1-9]/],
	['/metrics', 200, /kubelet_pod_worker_start_duration_seconds_count 1/],
	['/metrics/probes', 200, /prober_probe_duration_seconds_count{probe_type="Readiness",container="c",pod="p",namespace="n"} \d/],
	['/metrics', 200, /kubelet_started_containers_total{container_type="container"} 1[^]*kubelet_pleg_discard_events 0/],
	['/metrics', 200, /kubelet_node_name{node="node"} 1/],
	['/metrics', 200, /kubelet_pod_start_total_duration_seconds_count 1[^]*kubelet_pod_start_sli_duration_seconds_count 1/],
	['/metrics', 200, /kubelet_cgroup_manager_duration_seconds_count{operation_type="create"} 1/],
	['/metrics', 200, /kubelet_pod_pending_resizes{reason="deferred"} 0/],
	['/metrics', 200, /kubelet_pod_start_duration_seconds_count 1/],
	[
		'/metrics/probes',
		200,
		/prober_probe_total{probe_type="Readiness",result="successful",container="c",pod="p",namespace="n",pod_uid="[^"]+"} \d/,
	],
	['/metrics/resource', 200, /container_cpu_usage_seconds_total{container="c",namespace="n",pod="p"} 0 \d+\n[^]*resource_scrape_error 0/],
	['/metrics/cadvisor', 200, /container_memory_working_set_bytes{container="c",[^}]*namespace="n",pod="p"} 0/],
	['/metrics/cadvisor', 200, /machine_cpu_cores{boot_id="[^"]*",machine_id="[^"]*",system_uuid="[^"]*"} \d/],
	['/metrics', 200, /kubelet_metrics_provider{provider="cadvisor"} 1/],
	['/metrics', 200, /dra_resource_claims_in_use{driver_name="<any>"} 0/],
	['/metrics', 200, /kubelet_container_log_filesystem_used_bytes{container="c",namespace="n",pod="p",uid="[^"]+"} \d/],
	[
		'/metrics',
		200,
		/image_requests_total{pull_policy="ifnotpresent",present_locally="(?:true",pull_required="false|false",pull_required="true)"} 1/,
	],
	['/metrics/none', 404, /./],
	['/nothing', 404, /page not found/],
	['/constructor', 404, /page not found/],
	['/containerLogs/n/p/c', 200, /^one\ntwo\n$/],
	['/containerLogs/n/p/c?tailLines=1', 200, /^two\n$/],
	['/containerLogs/n/p/other', 404, /^container "other" not found in pod "p"$/m],
	['/exec/n/p/c', 400, /^Upgrade request required$/m],
	['/containerLogs/n/q/c', 404, /pod does not exist/],
] as const)
	test(`GET ${path}: ${body.source}`, async (t) => {
		const { server, node } = await serve(t);
		if (path.startsWith('/containerLogs')) {
			const folder = join(node.rootDir, 'a-log');
			await mkdir(folder);
			await writeFile(join(folder, '0.log'), ['one', 'two'].map((x) => `2026-01-01T00:00:00.000000000Z stdout F ${x}\n`).join(''));
			const pods = node.runtime.pod.bind(node.runtime);
			node.runtime.pod = async (uid) => {
				const found = await pods(uid);
				return found && { ...found, containers: found.containers.map((x) => ({ ...x, logPath: join(folder, '0.log') })) };
			};
		}
		const answer = await get(server.port, path, admin);
		t.is(answer.status, status);
		t.regex(answer.body, body);
	});

for (const [name, identity, token, path, allowed, status] of [
	['nobody', undefined, undefined, '/pods', () => true, 401],
	['a wrong token', undefined, 'bad', '/pods', () => true, 401],
	['a good token', undefined, 'good', '/pods', () => true, 200],
	['somebody without the right', admin, undefined, '/pods', () => false, 403],
	['somebody with the fine right', admin, undefined, '/pods', (s: string) => s === 'pods', 200],
	['somebody with the coarse right', admin, undefined, '/pods', (s: string) => s === 'proxy', 200],
	['metrics need their own', admin, undefined, '/metrics', (s: string) => s === 'proxy', 403],
] as const)
	test(`who may: ${name}`, async (t) => {
		const { server } = await serve(t, allowed);
		t.is((await get(server.port, path, identity, token)).status, status);
	});

test('what is asked may be long, as a command to execute is', async (t) => {
	const { server } = await serve(t);
	t.is((await get(server.port, `/healthz?${'a'.repeat(500_000)}`, admin)).body, 'ok');
});

test('a renewed certificate is served without a restart', async (t) => {
	const { server } = await serve(t);
	t.is((await get(server.port, '/healthz', admin)).peer, 'node');
	current = second;
	const renewed = await eventually('the renewed certificate', async () => {
		const answer = await get(server.port, '/healthz', admin);
		return answer.peer !== 'node' && answer;
	});
	t.like(renewed, { status: 200, peer: 'node-renewed' });
	current = serving;
});

test('exposition(): labels are escaped, what has no value is left out', (t) => {
	const text = exposition([
		{ name: 'a', type: 'gauge', help: 'A.', samples: [{ labels: { b: 'x"\\\n' }, value: 1, at: 5 }, { value: undefined }] },
		{ name: 'none', type: 'counter', help: 'N.', samples: [] },
	]);
	t.is(text, '# HELP a A.\n# TYPE a gauge\na{b="x\\"\\\\\\n"} 1 5\n');
});

test('CpuRates: cores between two looks', (t) => {
	const rates = new CpuRates();
	const looks = [
		rates.observe('c', 1e9, 1000),
		rates.observe('c', 2e9, 3000),
		rates.observe('c', 2.1e9, 3500),
		rates.observe('c', 1, 9000),
	];
	t.deepEqual(looks, [undefined, 5e8, 5e8, undefined]);
});
