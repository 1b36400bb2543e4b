import test from 'ava';
import { required, type FieldError } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { attributesOf, reader } from '../../../test/fakes/admission.ts';
import type { AdmissionAttributes } from '../contracts.ts';
import { standardGuards } from './guards.ts';

const NEEDS =
	'Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace';
const FOUND = required('metadata.name');
const stored = { 'namespaces n': {}, 'namespaces open': { metadata: { labels: { 'resource.kubernetes.io/admin-access': 'true' } } } };
const YES = { allowed: true, denied: false, reason: '' };
const guards = standardGuards({
	objects: reader(stored),
	authorizer: { authorize: () => Promise.resolve(YES) },
	rbac: undefined as never,
	resourceOf: () => undefined,
});

async function told(kind: string, object: object, more: Partial<AdmissionAttributes>): Promise<readonly string[]> {
	const write = { ...attributesOf(object, more), verb: more.operation === 'UPDATE' ? ('update' as const) : ('create' as const) };
	const faults = await guards.get(`resource.k8s.io/${kind}`)?.faults?.(write, [FOUND], new AbortController().signal);
	return (faults ?? []).map(({ field, message }: FieldError) => `${field}: ${message}`);
}

const requests = [{ exactly: {} }, { firstAvailable: [] }, { exactly: { adminAccess: true } }];
const claim = { spec: { devices: { requests } } };
const template = { spec: { spec: { devices: { requests } } } };
const given = (...adminAccess: readonly (boolean | undefined)[]): object => ({
	status: { allocation: { devices: { results: adminAccess.map((access) => ({ adminAccess: access })) } } },
});
const update = (old: object, subresource = 'status'): Partial<AdmissionAttributes> => ({
	operation: 'UPDATE',
	subresource,
	oldObject: { metadata: { name: 'a' }, ...old } as KubeObject,
});
const ASKED = `spec.devices.requests[2].adminAccess: ${NEEDS}`;
const GIVEN = `status.allocation.devices.results[1].adminAccess: ${NEEDS}`;

for (const [what, kind, object, more, want] of [
	['a claim', 'ResourceClaim', claim, {}, [ASKED]],
	['a claim where it may be', 'ResourceClaim', claim, { namespace: 'open' }, []],
	['a claim for itself', 'ResourceClaim', { spec: { devices: { requests: [{ exactly: {} }] } } }, {}, []],
	['a claim for nothing', 'ResourceClaim', { spec: {} }, {}, []],
	['an update of a claim', 'ResourceClaim', claim, update(claim, ''), []],
	['a template', 'ResourceClaimTemplate', template, {}, [ASKED]],
	['a template where it may be', 'ResourceClaimTemplate', template, { namespace: 'open' }, []],
	['an update of a template', 'ResourceClaimTemplate', template, update(template, ''), []],
	['a claim that is given some', 'ResourceClaim', given(false, true), update({}), [GIVEN]],
	['a claim that is given some where it may be', 'ResourceClaim', given(false, true), { ...update({}), namespace: 'open' }, []],
	['a claim that was given some before', 'ResourceClaim', given(false, true), update(given(true)), []],
	['a claim that is given others', 'ResourceClaim', given(false, undefined), update({}), []],
] as const)
	test(`devices that others use: ${what}`, async (t) =>
		t.deepEqual(await told(kind, object, more), [...want, `${FOUND.field}: ${FOUND.message}`]));
