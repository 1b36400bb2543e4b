/** Events of the audit log, field by field, as upstream writes them of the same requests. */
import test from 'ava';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createMetrics } from '../../../base/metrics.ts';
import { encodeEnvelope } from '../../../api/codec/envelope.ts';
import { badRequest } from '../../../api/status.ts';
import type { ApiRequest, ApiResponse, Attributes } from '../contracts.ts';
import { requestInfo } from '../request/request-info.ts';
import { noteAnswer } from './answers.ts';
import { Auditor } from './auditor.ts';
import { auditStranger } from './begin.ts';
import type { AuditEvent } from './event.ts';
import { sourceIps } from './source-ips.ts';
import { written } from './written.ts';

for (const [name, headers, want] of [
	['nothing said', {}, ['10.0.0.1']],
	['proxies', { 'x-forwarded-for': '1.2.3.4, bad, ::1' }, ['1.2.3.4', '::1', '10.0.0.1']],
	['as Go writes them', { 'x-forwarded-for': '2001:DB8:0::1', 'x-real-ip': '::ffff:1.2.3.4' }, ['2001:db8::1', '1.2.3.4', '10.0.0.1']],
	['leading zeros', { 'x-forwarded-for': '01.2.3.04,1.2.3' }, ['1.2.3.4', '10.0.0.1']],
	['known already', { 'x-forwarded-for': '10.0.0.1', 'x-real-ip': '10.0.0.1' }, ['10.0.0.1']],
] as const)
	test(`source addresses: ${name}`, (t) => t.deepEqual(sourceIps({ headers, remoteAddress: '::ffff:10.0.0.1' }), want));

test('objects are written in the order of their fields, without what is empty', (t) => {
	const pod = {
		kind: 'Pod',
		apiVersion: 'v1',
		metadata: { name: 'p', labels: { z: '1', a: '2' }, generateName: '', managedFields: [{ manager: 'm', subresource: '' }] },
		spec: { containers: [{ imagePullPolicy: 'Always', name: 'c' }] },
	};
	const meta = '"metadata":{"name":"p","labels":{"a":"2","z":"1"}';
	const spec = '"spec":{"containers":[{"name":"c","resources":{},"imagePullPolicy":"Always"}]},"status":{}';
	t.is(JSON.stringify(written(pod, true)), `{"kind":"Pod","apiVersion":"v1",${meta}},${spec}}`);
	t.true(JSON.stringify(written(pod, false)).includes('"managedFields":[{"manager":"m"}]'));
	const custom = { apiVersion: 'x.io/v1', kind: 'Foo', spec: { b: 1, a: '' } };
	t.deepEqual(written(custom, false), custom);
	t.not(written(custom, false), custom);
});

const request = {
	method: 'POST',
	path: '/',
	uri: '/',
	query: new URLSearchParams(),
	headers: {},
	remoteAddress: '',
} as unknown as ApiRequest;
const asked: Attributes = {
	...{ type: 'resource', user: { name: 'u', uid: '', groups: [], extra: {} }, verb: 'create', group: '', version: 'v1' },
	...{ resource: 'pods', subresource: 'binding', namespace: 'n', name: 'p' },
};

function recorded(level: 'Metadata' | 'RequestResponse'): { readonly auditor: Auditor; readonly events: AuditEvent[] } {
	const events: AuditEvent[] = [];
	const backend = { name: 'log', take: (event: AuditEvent) => events.push(event) > 0, close: () => Promise.resolve() };
	const deps = { policy: { rules: [{ level }] }, backends: [backend], clock: new VirtualClock(), metrics: createMetrics() };
	return { auditor: new Auditor(deps), events };
}

const bytes = (status: number, body: Uint8Array): ApiResponse => ({ type: 'bytes', status, headers: {}, body });
const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

for (const [name, answer, status, object] of [
	['a success told by a Status', bytes(201, Buffer.from(JSON.stringify(success))), { metadata: {}, status: 'Success', code: 201 }, success],
	['the same as a message', bytes(201, encodeEnvelope(success) ?? Buffer.of()), { metadata: {}, status: 'Success', code: 201 }, success],
	['what nobody accepts', bytes(406, Buffer.from('{"kind":"Status","status":"Failure"}')), { metadata: {}, code: 406 }, undefined],
	['no object of the API', bytes(200, Buffer.from('{"major":"1"}')), { metadata: {}, code: 200 }, undefined],
] as const)
	test(`answers in the audit log: ${name}`, async (t) => {
		const { auditor, events } = recorded('RequestResponse');
		const trail = auditor.begin(request, 'i', asked);
		if (trail === undefined) return t.fail();
		noteAnswer(trail, answer, 'create', undefined);
		trail.annotate('b', '2');
		trail.annotate('a', '1');
		await trail.note('ResponseComplete');
		t.like(events[0], { responseStatus: status, responseObject: object });
		t.deepEqual(Object.keys(events[0]?.annotations ?? {}), ['a', 'b']);
	});

test('who is refused before anybody is known has one event, with its Status', async (t) => {
	const { auditor, events } = recorded('RequestResponse');
	const info = requestInfo('GET', '/api/v1/pods', new URLSearchParams());
	await auditStranger(auditor, request, 'i', info);
	await auditStranger(auditor, request, 'i', info, badRequest('invalid timeout'));
	t.deepEqual(
		events.map(({ stage, user, responseStatus, responseObject }) => [stage, user, responseStatus, responseObject]),
		(
			[
				[401, 'Unauthorized', 'Unauthorized'],
				[400, 'BadRequest', 'invalid timeout'],
			] as const
		).map(([code, reason, message]) => {
			const said = { metadata: {}, status: 'Failure', message, reason, code };
			return ['ResponseStarted', {}, said, { kind: 'Status', apiVersion: 'v1', ...said }];
		}),
	);
});
