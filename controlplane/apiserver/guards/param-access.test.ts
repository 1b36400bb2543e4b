import test from 'ava';
import type { FieldError } from '../../../api/field-error.ts';
import { MUTATING_ADMISSION_POLICIES, VALIDATING_ADMISSION_POLICIES } from '../../../api/resources.ts';
import { attributesOf, reader } from '../../../test/fakes/admission.ts';
import type { Attributes } from '../contracts.ts';
import type { Guard } from './guard.ts';
import { ParamKindAccess } from './param-kind.ts';
import { ParamRefAccess } from './param-ref.ts';
import { paramResource, type ResourceOfKind } from './param-resource.ts';

const served: ResourceOfKind = ({ group, version, kind }) => (`${group}/${version}/${kind}` === 'x.io/v1/Odd' ? 'odds' : undefined);

for (const [apiVersion, kind, want] of [
	['x.io/v1', 'Odd', { group: 'x.io', version: 'v1', resource: 'odds' }],
	['x.io/v2', 'Odd', { group: 'x.io', version: 'v2', resource: '*', complaint: 'resolve paramKind &{x.io/v2 Odd}' }],
	['v1', 'Pod', { group: '', version: 'v1', resource: '*', complaint: 'resolve paramKind &{v1 Pod}' }],
	['x.io/v1/a', 'Odd', { group: '*', version: '*', resource: '*', complaint: 'parse paramKind &{x.io/v1/a Odd}' }],
] as const)
	test(`parameters of ${apiVersion} ${kind}`, (t) => t.deepEqual(paramResource({ apiVersion, kind }, served), want));

test('parameters of a policy that says no kind', (t) =>
	t.deepEqual(paramResource(undefined, served), { group: '*', version: '*', resource: '*' }));

type Deps = ConstructorParameters<typeof ParamRefAccess>[0];

const paramKind = { apiVersion: 'x.io/v1', kind: 'Odd' };
const objects = reader({
	'validatingadmissionpolicies a': { spec: { paramKind } },
	'mutatingadmissionpolicies a': { spec: { paramKind } },
});

/** What the guard says of a spec while nobody can tell who may what, and what it has asked. */
async function told(make: (deps: Deps) => Guard, spec: object): Promise<unknown> {
	const asked: Attributes[] = [];
	const authorizer = {
		authorize: (attributes: Attributes) => {
			asked.push(attributes);
			return Promise.resolve({ allowed: false, denied: false, reason: 'why', error: 'no answer' });
		},
	};
	const write = { ...attributesOf({ spec }), verb: 'create' as const };
	const faults = (await make({ authorizer, objects, resourceOf: served }).faults?.(
		write,
		[],
		new AbortController().signal,
	)) as FieldError[];
	const { user: _, ...what } = asked[0] as Attributes;
	return { what, faults: faults.map(({ field, message }) => `${field}: ${message}`) };
}

const odds = { type: 'resource', group: 'x.io', version: 'v1', resource: 'odds', subresource: '' };
for (const [what, make, spec, want] of [
	[
		'a policy',
		(deps: Deps) => new ParamKindAccess(deps),
		{ paramKind },
		{ what: { ...odds, verb: 'get', namespace: '*', name: '*' }, faults: ['spec.paramKind: Forbidden: no answer'] },
	],
	[
		'a binding',
		(deps: Deps) => new ParamRefAccess(deps, VALIDATING_ADMISSION_POLICIES),
		{ policyName: 'a', paramRef: { name: 'p', namespace: 'n' } },
		{
			what: { ...odds, verb: 'get', namespace: 'n', name: 'p' },
			faults: ['spec.paramRef: Forbidden: failed to authorize request: no answer'],
		},
	],
	[
		'a binding of a mutating policy',
		(deps: Deps) => new ParamRefAccess(deps, MUTATING_ADMISSION_POLICIES),
		{ policyName: 'a', paramRef: { selector: {} } },
		{ what: { ...odds, verb: 'list', namespace: '', name: '' }, faults: ['spec.paramRef: Forbidden: no answer'] },
	],
] as const)
	test(`${what} with parameters, where nobody can tell who reads them`, async (t) => t.deepEqual(await told(make, spec), want));
