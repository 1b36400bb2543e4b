import test from 'ava';
import { reconciledBinding, reconciledRole } from './reconciled.ts';

const AUTO = { 'rbac.authorization.kubernetes.io/autoupdate': 'true' };
const metadata = { name: 'r', annotations: AUTO, labels: { a: 'b' } };
const [GET, LIST] = ['get', 'list'].map((verb) => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] }));
const VIEW = { matchLabels: { 'to-view': 'true' } };
const wanted = { metadata, rules: [GET], aggregationRule: { clusterRoleSelectors: [VIEW] } } as never;
const plain = { metadata, rules: [GET] } as never;

for (const [what, stored, meant, want] of [
	['as it was', wanted, wanted, undefined],
	['without a rule', { metadata, rules: [LIST] }, plain, { metadata, rules: [LIST, GET] }],
	['not to be touched', { metadata: { name: 'r', annotations: { [Object.keys(AUTO)[0] as string]: 'false' } } }, plain, undefined],
	[
		'without its marks',
		{ metadata: { name: 'r', annotations: { own: 'x' }, labels: { a: 'c' } }, rules: [GET] },
		plain,
		{ metadata: { name: 'r', annotations: { ...AUTO, own: 'x' }, labels: { a: 'c' } } },
	],
	['that collects no more', { metadata, rules: [GET] }, wanted, { aggregationRule: { clusterRoleSelectors: [VIEW] } }],
	[
		'that collects others',
		{ metadata, rules: [GET], aggregationRule: { clusterRoleSelectors: [{}] } },
		wanted,
		{ aggregationRule: { clusterRoleSelectors: [{}, VIEW] } },
	],
	['that should collect none', wanted, plain, { aggregationRule: undefined }],
] as const)
	test(`reconciledRole(): one ${what}`, (t) => {
		const found = reconciledRole(stored as never, meant);
		if (want === undefined) t.is(found, undefined);
		else t.like(found, want as never);
	});

const ref = (name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name });
const [ANN, BOB] = ['ann', 'bob'].map((name) => ({ kind: 'User', name }));

for (const [what, stored, want] of [
	['as it was', { metadata, roleRef: ref('r'), subjects: [ANN] }, undefined],
	['of others', { metadata, roleRef: ref('r'), subjects: [BOB] }, { subjects: [BOB, ANN] }],
	['of another role', { metadata, roleRef: ref('q'), subjects: [ANN] }, 'anew'],
	['without its marks', { metadata: { name: 'r' }, roleRef: ref('r'), subjects: [ANN] }, { metadata }],
] as const)
	test(`reconciledBinding(): one ${what}`, (t) => {
		const found = reconciledBinding(stored as never, { metadata, roleRef: ref('r'), subjects: [ANN] } as never);
		if (typeof want === 'object') t.like(found, want as never);
		else t.is(found, want);
	});
