import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { json } from 'node:stream/consumers';
import test from 'ava';
import { CONFIG_MAPS, NAMESPACES, PODS, SECRETS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { createLog } from '../../../base/log.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { realClock } from '../../../base/clock.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createClient } from '../../../client/rest.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { createAuthority, issue } from '../../../wire/tls/authority.ts';
import type { ApiRequest, Attributes } from '../contracts.ts';
import { requestInfo } from '../request/request-info.ts';
import { Auditor } from './auditor.ts';
import { Batches } from './batches.ts';
import { auditStranger, beginAudit } from './begin.ts';
import { withoutManagedFields, type AuditBackend, type AuditEvent } from './event.ts';
import { legacyLine } from './legacy-format.ts';
import { inMode, type AuditMode, type AuditSink } from './modes.ts';
import { userAgentOf } from './user-agent.ts';
import { parsePolicy } from './policy.ts';
import { fit, truncated } from './truncated.ts';

const log = createLog({ level: 'error' });
const user = (name: string) => ({ name, uid: '', groups: [], extra: {} });
const readsPod: Attributes = {
	...{ type: 'resource', user: user('u'), verb: 'get', group: '', version: 'v1' },
	...{ resource: 'pods', subresource: '', namespace: 'n', name: 'p' },
};

test('managed fields are left out of objects, lists and tables', (t) => {
	const object = { kind: 'X', metadata: { name: 'a', managedFields: [1] } };
	const bare = { kind: 'X', metadata: { name: 'a' } };
	t.deepEqual(withoutManagedFields(object), bare);
	t.deepEqual(withoutManagedFields({ items: [object] }), { items: [bare] });
	t.deepEqual(withoutManagedFields({ rows: [{ cells: [], object }] }), { rows: [{ cells: [], object: bare }] });
});

const event = (over: Partial<AuditEvent> = {}): AuditEvent => ({
	...{
		kind: 'Event',
		apiVersion: 'audit.k8s.io/v1',
		level: 'Metadata',
		auditID: 'i',
		stage: 'ResponseComplete',
		requestURI: '/',
		verb: 'get',
		user: {},
	},
	...{ requestReceivedTimestamp: '', stageTimestamp: '', ...over },
});

test('an event that is too large loses its objects, then itself', (t) => {
	const large = event({ responseObject: 'x'.repeat(1000) });
	t.is(fit(large, 2000), large);
	t.deepEqual(fit(large, 500), { ...event(), annotations: { 'audit.k8s.io/truncated': 'true' } });
	t.is(fit(large, 100), undefined);
	const ofUrl = event({ requestURI: '/a?b&c' });
	const bytes = JSON.stringify(ofUrl).length + '\\u0026'.length - '&'.length + '\n'.length;
	t.is(fit(ofUrl, bytes), ofUrl, 'as it is written, with the end of the line');
	t.not(fit(ofUrl, bytes - 1), ofUrl);
});

test('batches are sent when full or when they have waited, not too many a second, and at the end', async (t) => {
	const clock = new VirtualClock();
	const sent: [at: number, events: number][] = [];
	const options = { bufferSize: 30, maxSize: 10, maxWaitMs: 1000, throttle: { qps: 1, burst: 2 } };
	const batches = new Batches(options, clock, (events) => {
		sent.push([clock.monotonic(), events.length]);
		return Promise.resolve();
	});
	batches.take(event());
	await clock.advance(999);
	t.deepEqual(sent, []);
	await clock.advance(1);
	t.deepEqual(sent, [[1000, 1]]);
	t.deepEqual(
		Array.from({ length: 31 }, () => batches.take(event())).filter((lost) => lost !== undefined),
		['audit buffer queue blocked'],
	);
	await clock.advance(0);
	t.deepEqual(sent.at(-1), [1000, 10]);
	await clock.advance(3000);
	t.deepEqual(
		sent.slice(2).map(([at, events]) => [Math.round(at / 1000), events]),
		[
			[2, 10],
			[3, 10],
		],
	);
	batches.take(event());
	await batches.close();
	t.is(sent.at(-1)?.[1], 1);
	t.is(batches.take(event()), 'audit backend shut down');
});

test('at the end all batches are on their way at once, but into a file one after another', async (t) => {
	for (const [oneByOne, want] of [
		[false, 3],
		[true, 1],
	] as const) {
		const open: (() => void)[] = [];
		const batches = new Batches(
			{ bufferSize: 30, maxSize: 1, maxWaitMs: 0, throttle: { qps: 1, burst: 0 }, oneByOne },
			new VirtualClock(),
			() => {
				const { promise, resolve } = Promise.withResolvers<void>();
				open.push(resolve);
				return promise;
			},
		);
		for (let i = 0; i < 3; i++) batches.take(event());
		const closed = batches.close();
		await setImmediate();
		t.is(open.length, want);
		for (let i = 0; i < 3; i++) {
			open[i]?.();
			await setImmediate();
		}
		await closed;
	}
});

for (const [mode, answers, lost] of [
	['batch', [true, true, true], ['buffered']],
	['blocking', [true, true, true], ['webhook', 'webhook', 'webhook']],
	['blocking-strict', [false, false, false], ['webhook', 'webhook', 'webhook']],
] as const satisfies readonly (readonly [AuditMode, readonly boolean[], readonly string[]])[])
	test(`requests whose events are lost: ${mode}`, async (t) => {
		const told: string[] = [];
		const losses = (by: string): number => told.push(by);
		const sink: AuditSink = {
			name: 'webhook',
			send: () => {
				if (mode !== 'batch') losses('webhook');
				return Promise.resolve(false);
			},
			close: async (sent) => void (await sent),
		};
		const backend = inMode(sink, mode, { bufferSize: 2, maxSize: 10, maxWaitMs: 1000 }, new VirtualClock(), losses);
		const taken = [1, 2, 3].map(() => backend.take(event()));
		t.deepEqual(await Promise.all(taken.map((one) => Promise.resolve(one))), [...answers]);
		t.deepEqual(told, [...lost]);
		await backend.close();
	});

const apiRequest = {
	method: 'GET',
	path: '/',
	uri: '/',
	query: new URLSearchParams(),
	headers: {},
	remoteAddress: '',
} as unknown as ApiRequest;

test('a backend that never answers keeps a request for a minute, and says so only to those who insist', async (t) => {
	const clock = new VirtualClock();
	const backend: AuditBackend = { name: 'webhook', take: () => new Promise<boolean>(() => {}), close: () => Promise.resolve() };
	const auditor = new Auditor({ policy: { rules: [{ level: 'Metadata' }] }, backends: [backend], clock, metrics: createMetrics() });
	const begun = beginAudit(auditor, apiRequest, 'i', readsPod);
	const noted = auditor.begin(apiRequest, 'i', readsPod)?.note('ResponseComplete');
	const stranger = auditStranger(auditor, apiRequest, 'i', requestInfo('GET', '/', new URLSearchParams()));
	await clock.advance(59_999);
	t.is(clock.pending, 3);
	await clock.advance(1);
	await t.throwsAsync(begun, { message: 'The request took longer than 60000 ms' });
	await Promise.all([noted, stranger]);
	t.true(noted instanceof Promise && stranger instanceof Promise);
	t.is(clock.pending, 0);
});

test('a request is not refused because its event is too large to be kept', (t) => {
	const told: string[] = [];
	const backend = truncated({ name: 'log', take: () => true, close: () => Promise.resolve() }, 10, (by, events, why) =>
		told.push(`${by} ${events.length} ${why}`),
	);
	t.true(backend.take(event()));
	t.deepEqual(told, ['truncate 1 event is too large even after truncating']);
});

test('the format "legacy"', (t) => {
	const one = event({
		...{ requestReceivedTimestamp: '2026-11-22T20:00:00.120000Z', sourceIPs: ['10.0.0.1', '10.0.0.2'], userAgent: 'kubectl' },
		...{ user: { username: 'jane', groups: ['a', 'b'] }, impersonatedUser: { username: 'root' } },
		...{ objectRef: { namespace: 'n' }, responseStatus: { code: 200 } },
	});
	t.is(
		legacyLine(one),
		String.raw`2026-11-22T20:00:00.12Z AUDIT: id="i" stage="ResponseComplete" ip="10.0.0.1" method="get" user="jane" groups="\"a\",\"b\"" as="root" asgroups="<lookup>" user-agent="kubectl" namespace="n" uri="/" response="200"`,
	);
	t.is(
		legacyLine(event({ requestReceivedTimestamp: '2026-11-22T20:00:00.000000Z' })),
		'2026-11-22T20:00:00Z AUDIT: id="i" stage="ResponseComplete" ip="<unknown>" method="get" user="<none>" groups="<none>" as="<self>" asgroups="<lookup>" user-agent="" namespace="<none>" uri="/" response="<deferred>"',
	);
});

const POLICY = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
  - {level: None, users: ["system:apiserver"]}
  - {level: Metadata, resources: [{resources: [secrets]}]}
  - {level: Request, verbs: [patch]}
  - {level: RequestResponse}
`;

test('a running server writes down who did what: as much as the policy says, in the file and at the webhook', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-audit-'));
	const authority = await createAuthority({ commonName: 'ca', days: 2 }, realClock);
	const leaf = { commonName: 'audit', dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'], usages: ['server'], days: 2 } as const;
	const { certPem: cert, keyPem: key } = await issue(authority, leaf, realClock);
	const received: AuditEvent[] = [];
	let failures = 1;
	const hook = createServer({ cert, key }, (request, response) => {
		json(request).then(
			(list) => {
				if (failures-- <= 0) received.push(...(list as { items: AuditEvent[] }).items);
				response.writeHead(failures >= 0 ? 503 : 200).end('heard'); // no JSON, nor need it be
			},
			() => response.destroy(),
		);
	});
	await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
	const stop = new AbortController();
	const path = join(dir, 'audit.log');
	const batch = { bufferSize: 1000, maxSize: 400, maxWaitMs: 20 };
	const { server, client, stopped } = await testApiServer(
		{
			clock: realClock,
			log,
			standard: {
				audit: {
					policy: parsePolicy(POLICY, 'test'),
					log: { path, maxAgeDays: 0, maxBackups: 0, maxMegabytes: 100, compress: false, format: 'json', mode: 'blocking', batch },
					webhook: {
						mode: 'batch',
						batch,
						initialBackoffMs: 10,
						target: { url: `https://127.0.0.1:${(hook.address() as AddressInfo).port}/audit`, ca: authority.certPem },
					},
				},
			},
		},
		stop.signal,
	);
	await client.create(NAMESPACES, {
		apiVersion: 'v1',
		kind: 'Namespace',
		metadata: { name: 'n', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
	});
	await client.create(SECRETS, {
		apiVersion: 'v1',
		kind: 'Secret',
		metadata: { namespace: 'n', name: 's' },
		stringData: { password: 'hunter2' },
	});
	await client.create(CONFIG_MAPS, {
		apiVersion: 'v1',
		kind: 'ConfigMap',
		metadata: { namespace: 'n', generateName: 'c-' },
		data: { a: 'b' },
	});
	await client.patch(CONFIG_MAPS, 'n/none', { type: 'merge', body: { data: { c: 'd' } } }).catch(() => undefined);
	await client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'n', name: 'default' } });
	const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'n', name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
	await client.create(PODS, pod).catch(() => undefined);
	await createClient(server.transport(user('nobody')))
		.list(SECRETS)
		.catch(() => undefined);
	await client.list(CONFIG_MAPS, { namespace: 'n' });
	for await (const _ of client.watch(CONFIG_MAPS, { timeoutSeconds: 1 })) break;
	await client.delete(CONFIG_MAPS, 'n/none').catch(() => undefined);
	stop.abort();
	await stopped;
	hook.close();
	hook.closeAllConnections();
	const text = await readFile(path, 'utf8');
	await rm(dir, { recursive: true });
	t.false(text.includes('hunter2'));
	t.false(text.includes('managedFields'));
	const events = text
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as AuditEvent);
	// A batch that is tried again comes after later ones.
	const named = (all: readonly AuditEvent[]): readonly string[] => all.map((e) => `${e.auditID} ${e.stage}`).toSorted();
	t.deepEqual(named(received), named(events));
	const of = (verb: string, resource: string) => events.filter((e) => e.verb === verb && e.objectRef?.resource === resource);
	const [secret] = of('create', 'secrets');
	t.like(secret, {
		level: 'Metadata',
		user: { username: 'admin' },
		objectRef: { name: 's', namespace: 'n', apiVersion: 'v1' },
		responseStatus: { code: 201 },
	});
	t.is(secret?.requestObject, undefined);
	t.is(secret?.annotations?.['authorization.k8s.io/decision'], 'allow');
	const [map] = of('create', 'configmaps');
	t.like(map?.requestObject, { kind: 'ConfigMap', metadata: { generateName: 'c-' }, data: { a: 'b' } });
	t.regex((map?.responseObject as { metadata: { name: string } } | undefined)?.metadata.name ?? '', /^c-/);
	t.like(of('patch', 'configmaps')[0], {
		level: 'Request',
		requestObject: { data: { c: 'd' } },
		responseStatus: { status: 'Failure', reason: 'NotFound', code: 404 },
	});
	const [refused] = of('create', 'pods');
	t.is(refused?.annotations?.['pod-security.kubernetes.io/enforce-policy'], 'restricted:latest');
	t.like(refused?.responseStatus, { code: 403, reason: 'Forbidden' });
	t.like(of('list', 'secrets')[0], {
		user: { username: 'nobody' },
		annotations: { 'authorization.k8s.io/decision': 'forbid' },
		responseStatus: { code: 403 },
	});
	t.is(((of('list', 'configmaps')[0]?.responseObject ?? {}) as { items?: unknown[] }).items?.length, 1);
	t.deepEqual(
		of('watch', 'configmaps').map((e) => e.stage),
		['ResponseStarted', 'ResponseComplete'],
	);
});

const sent = (agent: string) => ({
	headers: { 'user-agent': Buffer.from(agent).toString('latin1') },
	repeated: { lines: () => [], anyBeginning: () => false },
});

for (const [name, agent, want] of [
	['plain', 'kubectl/v1.36.2', 'kubectl/v1.36.2'],
	['in another script', 'клиент/1', 'клиент/1'],
	['of 1024 bytes', 'a'.repeat(1024), 'a'.repeat(1024)],
	['longer', 'é'.repeat(513), `${'é'.repeat(512)}...TRUNCATED`],
	['empty', '', undefined],
] as const)
	test(`what a client calls itself: ${name}`, (t) => t.is(userAgentOf(sent(agent)), want));

test('what a part of the server itself says is not read as bytes', (t) => t.is(userAgentOf({ headers: { 'user-agent': 'é' } }), 'é'));
