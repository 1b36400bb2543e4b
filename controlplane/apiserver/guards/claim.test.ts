/** Who may say what of a claim for devices: a whole server, in process, asked by those who give devices and by drivers. */
import test from 'ava';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, NAMESPACES, RESOURCE_CLAIMS } from '../../../api/resources.ts';
import type { PolicyRule, ResourceClaimStatus, ResourceResourceClaim } from '../../../api/gen/types.ts';
import { noLog } from '../../../base/log.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { createClient } from '../../../client/rest.ts';
import type { Client } from '../../../client/client.ts';
import { testApiServer, type TestApiServer } from '../../../test/fakes/api-server.ts';
import { validateUpdate } from '../../../api/validation/validation.ts';
import { ClaimGuard } from './claim.ts';
import { said } from '../../../test/fakes/policed-server.ts';

const RBAC = 'rbac.authorization.k8s.io';
const GROUP = 'resource.k8s.io';
const NODE = 'authentication.kubernetes.io/node-name';
const DRIVER = 'system:serviceaccount:n:driver';
const stop = new AbortController();
let server: TestApiServer;

function as(name: string, ...nodes: readonly string[]): Client {
	return createClient(server.server.transport({ name, uid: '', groups: [], extra: nodes.length === 0 ? {} : { [NODE]: nodes } }));
}

test.before(async () => {
	server = await testApiServer({ clock: new VirtualClock(Date.parse('2026-01-01T00:00:00Z')), log: noLog }, stop.signal);
	const { client } = server;
	await client.create(NAMESPACES, { metadata: { name: 'n' } });
	const rule = (resource: string, verbs: string[], ...resourceNames: string[]): PolicyRule => ({
		...{ apiGroups: [GROUP], resources: [`resourceclaims/${resource}`], verbs },
		...(resourceNames.length === 0 ? {} : { resourceNames }),
	});
	const verbs = ['update', 'patch'];
	for (const [user, ...rules] of [
		['plain'],
		['binder', rule('binding', verbs)],
		['updater', rule('binding', ['update'])],
		['anywhere', rule('driver', ['arbitrary-node:update'], 'd.io')],
		[DRIVER, rule('driver', ['associated-node:update', 'associated-node:patch'], 'd.io')],
	] as const) {
		const name = user.replaceAll(':', '-');
		await client.create(CLUSTER_ROLES, { metadata: { name }, rules: [rule('status', verbs), ...rules] });
		await client.create(CLUSTER_ROLE_BINDINGS, {
			metadata: { name },
			roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
			subjects: [{ kind: 'User', name: user, apiGroup: RBAC }],
		});
	}
});
test.after.always(async () => {
	stop.abort();
	await server.stopped;
});

const onNode = (...names: string[]): object => ({
	nodeSelectorTerms: names.map((name) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] })),
});
const given = (driver: string): object => ({ request: 'r', driver, pool: 'p', device: 'a' });
const given2: ResourceClaimStatus = {
	allocation: { devices: { results: [given('d.io'), given('e.io')] as never }, nodeSelector: onNode('n1') as never },
};
const of = (driver: string, type = 'Ready'): object => ({
	...{ driver, pool: 'p', device: 'a' },
	conditions: [{ type, status: 'True', reason: 'r', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
});
const withDevices = (...devices: object[]): ResourceClaimStatus => ({ ...given2, devices: devices as never });
const used = { ...given2, reservedFor: [{ resource: 'pods', name: 'p', uid: 'u' }] };

/** A claim that has this status, by an administrator. */
let serial = 0;
async function claimed(status: ResourceClaimStatus): Promise<ResourceResourceClaim> {
	const name = `c${++serial}`;
	const requests = [{ name: 'r', exactly: { deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 } }];
	const made = await server.client.create(RESOURCE_CLAIMS, { metadata: { name, namespace: 'n' }, spec: { devices: { requests } } });
	if (Object.keys(status).length === 0) return made;
	return server.client.update(RESOURCE_CLAIMS, { ...made, status }, { subresource: 'status' });
}

const refused = (name: string | undefined, ...causes: readonly string[]): string =>
	`422 ResourceClaim.${GROUP} "${name}" is invalid: ${causes.length === 1 ? causes[0] : `[${causes.join(', ')}]`}`;
const notBinding = (user: string, verb: string): string =>
	`status.allocation: Forbidden: changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission: resourceclaims.${GROUP} is forbidden: User "${user}" cannot ${verb} resource "resourceclaims/binding" in API group "${GROUP}" at the cluster scope`;
const notDriver = (user: string, driver: string, ...verbs: readonly string[]): string =>
	`status.devices: Forbidden: changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: resourceclaims.${GROUP} "${driver}" is forbidden: User "${user}" cannot ${verbs[0]} resource "resourceclaims/driver" in API group "${GROUP}" in the namespace "n"`;

const ANY = 'arbitrary-node:update';
const OWN = 'associated-node:update';
for (const [what, [user, ...nodes], before, after, want] of [
	['nothing that has an owner', ['plain'], given2, given2, []],
	['devices for it', ['plain'], {}, given2, [notBinding('plain', 'update')]],
	['devices for it, who binds', ['binder'], {}, given2, []],
	['devices for it no more', ['plain'], given2, {}, [notBinding('plain', 'update')]],
	['a user of it', ['plain'], given2, used, [notBinding('plain', 'update')]],
	['a user of it, who binds', ['binder'], given2, used, []],
	['what its driver says', ['plain'], given2, withDevices(of('d.io')), [notDriver('plain', 'd.io', ANY)]],
	['what its driver says, who binds', ['binder'], given2, withDevices(of('d.io')), [notDriver('binder', 'd.io', ANY)]],
	[
		'what both of its drivers say',
		['plain'],
		given2,
		withDevices(of('e.io'), of('d.io')),
		[notDriver('plain', 'd.io', ANY), notDriver('plain', 'e.io', ANY)],
	],
	['what its driver says, who may anywhere', ['anywhere'], given2, withDevices(of('d.io')), []],
	['what another driver says', ['anywhere'], given2, withDevices(of('e.io')), [notDriver('anywhere', 'e.io', ANY)]],
	['what its driver said no more', ['anywhere'], withDevices(of('d.io')), given2, []],
	['what another driver said no more', ['anywhere'], withDevices(of('e.io')), given2, [notDriver('anywhere', 'e.io', ANY)]],
	[
		'something else of another driver',
		['anywhere'],
		withDevices(of('e.io')),
		withDevices(of('e.io', 'X')),
		[notDriver('anywhere', 'e.io', ANY)],
	],
	['beside what another driver says', ['anywhere'], withDevices(of('e.io')), withDevices(of('e.io'), of('d.io')), []],
	['what its driver says, on its node', [DRIVER, 'n1'], given2, withDevices(of('d.io')), []],
	['what another driver says, on its node', [DRIVER, 'n1'], given2, withDevices(of('e.io')), [notDriver(DRIVER, 'e.io', OWN, ANY)]],
	['what its driver says, on another node', [DRIVER, 'n2'], given2, withDevices(of('d.io')), [notDriver(DRIVER, 'd.io', ANY)]],
	['what its driver says, on no node', [DRIVER], given2, withDevices(of('d.io')), [notDriver(DRIVER, 'd.io', ANY)]],
	['what its driver says, on several nodes', [DRIVER, 'n1', 'n2'], given2, withDevices(of('d.io')), [notDriver(DRIVER, 'd.io', ANY)]],
	[
		'what its driver says, on its node, but no service account',
		['plain', 'n1'],
		given2,
		withDevices(of('d.io')),
		[notDriver('plain', 'd.io', ANY)],
	],
	[
		'devices, and what a driver says of them',
		['plain'],
		{},
		withDevices(of('d.io')),
		[notBinding('plain', 'update'), notDriver('plain', 'd.io', ANY)],
	],
	['no devices, and so nothing of them', ['binder'], withDevices(of('d.io')), {}, []],
] as const)
	test(`a claim's status: ${what}`, async (t) => {
		const claim = await claimed(before);
		const told = await said(as(user, ...nodes).update(RESOURCE_CLAIMS, { ...claim, status: after }, { subresource: 'status' }));
		t.is(told, want.length === 0 ? 'ok' : refused(claim.metadata.name, ...want));
	});

for (const [what, allocation] of [
	['several nodes', { nodeSelector: onNode('n1', 'n2') }],
	['nodes by their labels', { nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] } }],
	['any node', {}],
] as const)
	test(`a claim's status: devices of ${what} are of no driver's own node`, async (t) => {
		const before = { allocation: { devices: given2.allocation?.devices, ...allocation } } as ResourceClaimStatus;
		const claim = await claimed(before);
		const status = { ...before, devices: [of('d.io')] as never };
		const told = await said(as(DRIVER, 'n1').update(RESOURCE_CLAIMS, { ...claim, status }, { subresource: 'status' }));
		t.is(told, refused(claim.metadata.name, notDriver(DRIVER, 'd.io', ANY)));
	});

test("a claim's status: what is wrong with any update is told before", async (t) => {
	const claim = (status: object, labels: object): ResourceResourceClaim =>
		({ metadata: { name: 'c', namespace: 'n', resourceVersion: '1', labels }, spec: { devices: {} }, status }) as never;
	const [object, oldObject] = [claim(given2, { 'no label': '' }), claim({}, {})];
	const found = validateUpdate(GROUP, 'v1', 'ResourceClaim', object as never, oldObject as never, true, 'status');
	const guard = new ClaimGuard({ authorizer: { authorize: () => Promise.resolve({ allowed: false, reason: '' }) }, objects: {} } as never);
	const write = {
		operation: 'UPDATE',
		subresource: 'status',
		verb: 'update',
		user: { name: 'u', groups: [], extra: {} },
		object,
		oldObject,
	};
	const told = await guard.faults(write as never, found, stop.signal);
	const metadata = 'metadata.labels';
	t.deepEqual(
		told.slice(0, 4).map(({ field }) => field),
		[metadata, metadata, 'status.allocation', metadata],
	);
});

test("a claim's status: a patch is asked for as one", async (t) => {
	const { metadata } = await claimed(given2);
	const change = (user: Client, status: ResourceClaimStatus): Promise<string> =>
		said(user.patch(RESOURCE_CLAIMS, `n/${metadata.name}`, { type: 'merge', body: { status } }, { subresource: 'status' }));
	t.is(await change(as('updater'), { reservedFor: used.reservedFor }), refused(metadata.name, notBinding('updater', 'patch')));
	t.is(await change(as('binder'), { reservedFor: used.reservedFor }), 'ok');
	const devices = [of('d.io')] as never;
	t.is(await change(as('anywhere'), { devices }), refused(metadata.name, notDriver('anywhere', 'd.io', 'arbitrary-node:patch')));
	t.is(await change(as(DRIVER, 'n1'), { devices }), 'ok');
});

test("a claim's status: what is sent as null is not there", async (t) => {
	const claim = await claimed(given2);
	for (const status of [null, { allocation: null, devices: null, reservedFor: null }])
		t.is(
			await said(as('plain').update(RESOURCE_CLAIMS, { ...claim, status } as never, { subresource: 'status' })),
			refused(claim.metadata.name, notBinding('plain', 'update')),
		);
	const none = await claimed({});
	const told = await said(
		as('plain').update(RESOURCE_CLAIMS, { ...none, status: { allocation: null, devices: [of('d.io')] } } as never, {
			subresource: 'status',
		}),
	);
	t.regex(told, /status\.devices\[0\]/);
	t.notRegex(told, /Forbidden/);
});

test("a claim's status: those who give devices upstream may", async (t) => {
	const scheduler = as('system:kube-scheduler');
	const controller = as('system:serviceaccount:kube-system:resource-claim-controller');
	for (const user of [scheduler, controller])
		t.is(await said(user.update(RESOURCE_CLAIMS, { ...(await claimed({})), status: used }, { subresource: 'status' })), 'ok');
});

test("a claim's status: who may not is told beside what is wrong with it", async (t) => {
	const claim = await claimed({});
	const told = await said(
		as('plain').update(RESOURCE_CLAIMS, { ...claim, status: { reservedFor: used.reservedFor } }, { subresource: 'status' }),
	);
	const wrong = 'status.reservedFor: Forbidden: may not be specified when `allocated` is not set';
	t.is(told, refused(claim.metadata.name, notBinding('plain', 'update'), wrong));
});
