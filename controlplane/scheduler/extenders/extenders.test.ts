import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import type { Event, Node, Pod } from '../../../api/gen/types.ts';
import type { Resource } from '../../../api/resource.ts';
import { NODES, PODS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { runServices } from '../../../base/service.ts';
import type { Client } from '../../../client/client.ts';
import { createRecorder } from '../../../client/events.ts';
import { Informers } from '../../../client/informers.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { cpu, node, pod } from '../../../test/fakes/scheduling.ts';
import { eventually } from '../../../test/tools/eventually.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import { parseSchedulerConfiguration } from '../configuration/configuration.ts';
import type { ExtenderSettings } from '../configuration/extenders.ts';
import { createScheduler } from '../scheduler.ts';
import { makeExtenders } from './extenders.ts';
import { senderTo } from './http.ts';

const EVENTS: Resource<Event> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true, subresources: [] };

/** As extenders get them (kube-scheduler's extender/v1). */
interface Asked {
	readonly Pod?: Pod;
	readonly Nodes?: { readonly items: readonly Node[] } | null;
	readonly NodeNames?: readonly string[] | null;
	readonly NodeNameToMetaVictims?: Readonly<Record<string, { readonly Pods: readonly { readonly UID: string }[] }>> | null;
	readonly PodName?: string;
	readonly PodUID?: string;
	readonly Node?: string;
}
/** Or a promise of it. */
type Answer = (verb: string, asked: Asked) => unknown;

/** An extender that answers, and what it was asked. "error" is answered with status 500. */
async function extender(answer: Answer, tls?: { readonly cert: string; readonly key: string }) {
	const asked: { readonly verb: string; readonly body: Asked }[] = [];
	const server = tls === undefined ? createServer() : createTlsServer(tls);
	server.on('request', (request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
			const verb = (request.url ?? '').split('/').at(-1) ?? '';
			asked.push({ verb, body });
			void Promise.resolve(answer(verb, body)).then(
				(text) => {
					response.statusCode = text === 'error' ? 500 : 200;
					response.end(JSON.stringify(text ?? null));
				},
				(error: unknown) => response.destroy(error as Error),
			);
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	return {
		asked,
		url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/ext`,
		[Symbol.asyncDispose]: async () => {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}

/** A scheduler with these extenders, over a real API server. */
async function cluster(extenders: readonly object[], nodes: readonly Node[], body: (client: Client) => Promise<void>): Promise<void> {
	const stop = new AbortController();
	const api = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
	const { client } = api;
	const text = JSON.stringify({ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration', extenders });
	const deps = { client, clock: realClock, log: noLog };
	const informers = new Informers(deps);
	const recorder = createRecorder({ ...deps, component: 'default-scheduler' });
	const settings = parseSchedulerConfiguration(text, 'file');
	// There before it looks: what is made later it may see after the pods.
	await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } });
	for (const one of nodes) await client.create(NODES, one);
	const done = runServices(
		[informers, recorder, createScheduler({ ...deps, informers, recorder, metrics: createMetrics(), settings })],
		stop.signal,
	);
	try {
		await body(client);
	} finally {
		stop.abort();
		await done;
		await api.stopped;
	}
}

const made = async (client: Client, name: string, spec: Partial<Pod['spec']> = {}): Promise<Pod> =>
	client.create(PODS, pod(name, { tolerations: [{ operator: 'Exists' }], automountServiceAccountToken: false, ...spec }));
const placed = async (client: Client, name: string): Promise<string> =>
	eventually(`the node of ${name}`, async () => (await client.get(PODS, `default/${name}`)).spec?.nodeName);
const told = async (client: Client, message: RegExp): Promise<unknown> =>
	eventually(
		`an event ${message}`,
		async () => (await client.list(EVENTS, { namespace: 'default' })).items.find((one) => message.test(one.message ?? '')) !== undefined,
	);
const three = [node('n1'), node('n2'), node('n3')];

test('an extender leaves out nodes and gives scores; one that knows the nodes is told their names, and Go reads names of fields as they come', async (t) => {
	await using whole = await extender((verb, { Nodes }) => {
		if (verb === 'prioritize') return [{ host: 'n2', score: 1 }];
		return { nodes: { items: (Nodes?.items ?? []).filter(({ metadata }) => metadata.name !== 'n1') }, failedNodes: { n1: 'not that one' } };
	});
	await using names = await extender((_, { NodeNames }) =>
		(NodeNames ?? []).map((name) => ({ Host: name, Score: name === 'n3' ? 10 : 0 })),
	);
	const all = [
		{ urlPrefix: whole.url, filterVerb: 'filter', prioritizeVerb: 'prioritize', weight: 1 },
		{ urlPrefix: `${names.url}/`, prioritizeVerb: 'prioritize', weight: 100, nodeCacheCapable: true },
	];
	await cluster(all, three, async (client) => {
		await made(client, 'p');
		t.is(await placed(client, 'p'), 'n3');
		t.deepEqual(whole.asked.map(({ verb }) => verb).slice(0, 2), ['filter', 'prioritize']);
		t.is(whole.asked[0]?.body.Pod?.metadata.name, 'p');
		t.deepEqual([whole.asked[0]?.body.Nodes?.items.length, whole.asked[0]?.body.NodeNames], [3, null]);
		t.deepEqual([names.asked[0]?.body.NodeNames?.toSorted(), names.asked[0]?.body.Nodes], [['n2', 'n3'], null]);
	});
});

test('a pod that extenders leave no node is told why; one that does not answer stops pods, unless it may be ignored', async (t) => {
	let answers: unknown = { NodeNames: [], FailedNodes: { n1: 'no card' }, FailedAndUnresolvableNodes: { n2: 'no slot' } };
	await using strict = await extender(() => answers);
	await using loose = await extender(() => 'error');
	const all = [
		{ urlPrefix: loose.url, filterVerb: 'filter', ignorable: true },
		{
			urlPrefix: strict.url,
			filterVerb: 'filter',
			nodeCacheCapable: true,
			managedResources: [{ name: 'example.com/card', ignoredByScheduler: true }],
		},
	];
	await cluster(all, three.slice(0, 2), async (client) => {
		await made(client, 'plain');
		t.regex(await placed(client, 'plain'), /^n[12]$/);
		t.is(strict.asked.length, 0);
		const containers = [
			{ name: 'c', image: 'img', resources: { requests: { 'example.com/card': '1' }, limits: { 'example.com/card': '1' } } },
		];
		await made(client, 'p', { containers });
		await told(client, /^0\/2 nodes are available: 1 no card, 1 no slot\./);
		answers = 'error';
		await made(client, 'q', { containers });
		await told(client, new RegExp(`^failed filter with extender at URL ${strict.url}/filter, code 500$`));
		answers = { NodeNames: ['n2'] };
		await client.create(NODES, node('n4'));
		t.is(await placed(client, 'p'), 'n2');
		t.is(await placed(client, 'q'), 'n2');
	});
});

test('an extender binds the pods that it manages, over TLS by whom its authority vouches for', async (t) => {
	const authority = await createAuthority({ commonName: 'ca', days: 1 }, realClock);
	const leaf = { commonName: 'extender', dnsNames: ['extender.test'], ipAddresses: [], usages: ['server'], days: 1 } as const;
	const { certPem: cert, keyPem: key } = await issue(authority, leaf, realClock);
	const bound: { client?: Client } = {};
	await using binder = await extender(
		(_, { PodName = '', PodUID = '', Node: name = '' }) => {
			const metadata = { name: PodName, namespace: 'default', uid: PodUID };
			const binding = { apiVersion: 'v1', kind: 'Binding', metadata, target: { kind: 'Node', name } };
			void bound.client
				?.create(PODS, binding as never, { subresource: 'binding', key: `default/${PodName}` })
				.catch((error: unknown) => t.fail(String(error)));
			return {};
		},
		{ cert, key },
	);
	const tlsConfig = { serverName: 'extender.test', caData: Buffer.from(authority.certPem).toString('base64') };
	await cluster([{ urlPrefix: binder.url, bindVerb: 'bind', enableHTTPS: true, tlsConfig }], [node('n1')], async (client) => {
		bound.client = client;
		await made(client, 'p');
		t.is(await placed(client, 'p'), 'n1');
		t.like(binder.asked[0]?.body, { PodName: 'p', Node: 'n1' });
	});
});

test('a pod that somebody else gave a node while an extender was asked is counted there', async (t) => {
	const bound: { client?: Client } = {};
	await using slow = await extender(async (_, { Pod: asked, NodeNames }) => {
		if (asked?.metadata.name !== 'p') return { NodeNames };
		const { client } = bound;
		const binding = {
			apiVersion: 'v1',
			kind: 'Binding',
			metadata: { name: 'p', namespace: 'default' },
			target: { kind: 'Node', name: 'n1' },
		};
		await client?.create(PODS, binding as never, { subresource: 'binding', key: 'default/p' });
		return { NodeNames: ['n2'] };
	});
	const small = [node('n1', { cpu: '1' }), node('n2', { cpu: '1' })];
	await cluster([{ urlPrefix: slow.url, filterVerb: 'filter', nodeCacheCapable: true }], small, async (client) => {
		bound.client = client;
		await made(client, 'p', cpu('1'));
		t.is(await placed(client, 'p'), 'n1');
		await made(client, 'q', cpu('1'));
		await made(client, 'r', { ...cpu('1'), nodeSelector: { 'kubernetes.io/hostname': 'n1' } });
		t.is(await placed(client, 'q'), 'n2');
		await told(client, /^0\/2 nodes are available: 1 Insufficient cpu/);
	});
});

for (const [name, extender, message] of [
	[
		'a certificate that is none',
		{ tlsConfig: { caData: Buffer.from('none').toString('base64') } },
		/^couldn't build extenders: https:\/\/e: /,
	],
	['a certificate without its key', { tlsConfig: { certData: Buffer.from('none').toString('base64') } }, undefined],
	['a file that is not there', { tlsConfig: { caFile: '/nowhere' } }, /ENOENT/],
	['trust in all and in one', { tlsConfig: { insecure: true, caData: 'eA==' } }, /with the insecure flag is not allowed/],
] as const)
	test(`extenders that cannot be called: ${name}`, async (t) => {
		const text = JSON.stringify({
			...{ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' },
			extenders: [{ urlPrefix: 'https://e', ...extender }],
		});
		const made = makeExtenders(parseSchedulerConfiguration(text, 'file').extenders, realClock, noLog);
		if (message === undefined) await t.notThrowsAsync(made);
		else await t.throwsAsync(made, { message });
	});

test('errors of extenders keep the password of their address', async (t) => {
	const settings = parseSchedulerConfiguration(
		JSON.stringify({
			...{ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' },
			extenders: [{ urlPrefix: 'http://user:secret@127.0.0.1:1/ext', filterVerb: 'filter' }],
		}),
		'file',
	);
	const [first] = settings.extenders;
	const send = await senderTo(first as ExtenderSettings, realClock);
	const error = await t.throwsAsync(send('filter', {}, new AbortController().signal));
	t.regex(error.message, /^Post "http:\/\/user:\*\*\*@127\.0\.0\.1:1\/ext\/filter": /);
});

for (const [name, answer] of [
	['no number', [{ Host: 'n2', Score: 'much' }]],
	['no list', { n2: 10 }],
	['nothing at all', undefined],
] as const)
	test(`scores of one extender that are ${name} do not count; those of others do`, async (t) => {
		await using odd = await extender(() => answer);
		await using good = await extender(() => [{ Host: 'n3', Score: 10 }]);
		const urls = [odd.url, good.url];
		const all = urls.map((urlPrefix) => ({ urlPrefix, prioritizeVerb: 'prioritize', weight: 100, nodeCacheCapable: true }));
		await cluster(all, three, async (client) => {
			await made(client, 'p');
			t.is(await placed(client, 'p'), 'n3');
		});
	});

test('an extender has its word in who must go', async (t) => {
	await using preempts = await extender((_, { NodeNameToMetaVictims }) => ({
		NodeNameToMetaVictims: Object.fromEntries(Object.entries(NodeNameToMetaVictims ?? {}).filter(([name]) => name === 'n2')),
	}));
	const small = [node('n1', { cpu: '1' }), node('n2', { cpu: '1' })];
	await cluster([{ urlPrefix: preempts.url, preemptVerb: 'preempt', nodeCacheCapable: true }], small, async (client) => {
		for (const name of ['n1', 'n2']) {
			await made(client, `low-${name}`, {
				...cpu('1'),
				terminationGracePeriodSeconds: 0,
				nodeSelector: { 'kubernetes.io/hostname': name },
			});
			await placed(client, `low-${name}`);
		}
		await made(client, 'high', { ...cpu('1'), priorityClassName: 'system-node-critical' });
		await eventually('where the pod will be', async () => (await client.get(PODS, 'default/high')).status?.nominatedNodeName);
		t.is((await client.get(PODS, 'default/high')).status?.nominatedNodeName, 'n2');
		t.deepEqual(Object.keys(preempts.asked[0]?.body.NodeNameToMetaVictims ?? {}).toSorted(), ['n1', 'n2']);
	});
});
