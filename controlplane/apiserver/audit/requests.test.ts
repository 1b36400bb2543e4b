/** What the audit log of a running server says was sent: as upstream's decoder made it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { realClock } from '../../../base/clock.ts';
import { createLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import type { AuditEvent } from './event.ts';
import { parsePolicy } from './policy.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'QQ==' }, stringData: { a: 'B', b: 'C' } };

const SENT = [
	['POST', `${NAMESPACE}/secrets`, secret, { kind: 'Secret', data: { a: 'Qg==', b: 'Qw==' }, stringData: undefined }],
	['PUT', `${NAMESPACE}/secrets/s`, secret, { kind: 'Secret', data: { a: 'Qg==', b: 'Qw==' }, stringData: undefined }],
	[
		'DELETE',
		`${NAMESPACE}/secrets/none`,
		{ gracePeriodSeconds: 1 },
		{ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', gracePeriodSeconds: 1 },
	],
	[
		'DELETE',
		`${NAMESPACE}/secrets/nor`,
		{ apiVersion: 'v1', kind: 'DeleteOptions' },
		{ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal' },
	],
	[
		'DELETE',
		'/apis/apps/v1/namespaces/default/deployments/none',
		{ apiVersion: 'apps/v1', kind: 'DeleteOptions', propagationPolicy: 'Wrong' },
		{ kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', propagationPolicy: 'Wrong' },
	],
	['DELETE', `${NAMESPACE}/secrets/s`, undefined, undefined],
	['GET', `${NAMESPACE}/endpoints`, undefined, undefined],
	['POST', `${NAMESPACE}/serviceaccounts`, { metadata: { name: 'a' } }, { kind: 'ServiceAccount' }],
	['POST', `${NAMESPACE}/serviceaccounts/a/token`, { spec: {} }, { kind: 'TokenRequest' }],
] as const;

test('requests in the audit log: secrets have data only, options no version', async (t) => {
	const dir = await mkdtemp(join(tmpdir(), 'kubeling-audit-'));
	t.teardown(() => rm(dir, { recursive: true }));
	const path = join(dir, 'audit.log');
	const stop = new AbortController();
	const policy = parsePolicy('apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Request}]', 'test');
	const file = {
		path,
		maxAgeDays: 0,
		maxBackups: 0,
		maxMegabytes: 100,
		compress: false,
		format: 'json',
		mode: 'blocking',
		batch: { bufferSize: 1, maxSize: 1, maxWaitMs: 0 },
	} as const;
	const standard = { audit: { policy, log: file } };
	const { server, stopped } = await testApiServer({ clock: realClock, log: createLog({ level: 'error' }), standard }, stop.signal);
	const transport = server.transport({ name: 'auditor', uid: '', groups: ['system:masters'], extra: {} });
	for (const [method, url, body] of SENT) {
		const headers = { 'content-type': 'application/json' };
		const request = { method, path: url, ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }) };
		for await (const _ of (await transport.request(request, stop.signal)).body);
	}
	stop.abort();
	await stopped;
	const events = (await readFile(path, 'utf8'))
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as AuditEvent)
		.filter((event) => event.user.username === 'auditor');
	t.is(events.length, SENT.length);
	t.regex(events.at(-1)?.annotations?.['authentication.kubernetes.io/issued-credential-id'] ?? '', /^JTI=[0-9a-f-]{36}$/);
	t.deepEqual(
		events.filter(({ annotations = {} }) => annotations['k8s.io/deprecated'] === 'true').map(({ requestURI }) => requestURI),
		[`${NAMESPACE}/endpoints`],
	);
	for (const [i, [method, url, , want]] of SENT.entries())
		if (want === undefined) t.is(events[i]?.requestObject, undefined, url);
		else t.like(events[i]?.requestObject, want, `${method} ${url}`);
});

test("a request that cannot be written down is answered in upstream's words", async (t) => {
	const stop = new AbortController();
	const policy = parsePolicy('apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata, users: [auditor]}]', 'test');
	const batch = { bufferSize: 1, maxSize: 1, maxWaitMs: 0 };
	const file = {
		path: tmpdir(),
		maxAgeDays: 0,
		maxBackups: 0,
		maxMegabytes: 0,
		compress: false,
		format: 'json',
		mode: 'blocking-strict',
		batch,
	} as const;
	const { server, stopped } = await testApiServer(
		{ clock: realClock, log: createLog({ level: 'error', write: () => undefined }), standard: { audit: { policy, log: file } } },
		stop.signal,
	);
	const transport = server.transport({ name: 'auditor', uid: '', groups: ['system:masters'], extra: {} });
	const { status, body } = await transport.request({ method: 'GET', path: '/api/v1/nodes?limit=1' }, stop.signal);
	t.is(status, 500);
	t.is(await text(body), 'Internal Server Error: "/api/v1/nodes?limit=1": failed to store audit event\n');
	stop.abort();
	await stopped;
});
