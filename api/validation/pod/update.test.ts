import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateUpdate } from '../validation.ts';

const META = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const container = { name: 'c', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
const SPEC = { containers: [container], restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', terminationGracePeriodSeconds: 30 };
const MIRROR = 'kubernetes.io/config.mirror';

/** What is wrong, without the differences that are shown. */
function complaints(before: object, after: object, oldAnnotations: object = {}, annotations: object = {}): string[] {
	const of = (spec: object, given: object): KubeObject =>
		({ kind: 'Pod', metadata: { ...META, annotations: given }, spec: { ...SPEC, ...spec } }) as unknown as KubeObject;
	return validateUpdate('', 'v1', 'Pod', of(after, annotations), of(before, oldAnnotations), true).map(
		({ field, message }) => `${field}: ${message.split('`spec.containers')[0]}`,
	);
}

const toleration = { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 };
const gated = (more: object): object => ({ schedulingGates: [{ name: 'g' }], ...more });
const TERMS = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
const requirement = (key: string): object => ({ key, operator: 'Exists' });
const affinity = (...terms: readonly (readonly string[])[]): object => ({
	affinity: {
		nodeAffinity: {
			requiredDuringSchedulingIgnoredDuringExecution: {
				nodeSelectorTerms: terms.map((keys) => ({ matchExpressions: keys.map(requirement) })),
			},
		},
	},
});
const FEW = 'spec: Forbidden: pod updates may not change fields other than ';

for (const [rule, before, after, want] of [
	['the time of a toleration may change', { tolerations: [toleration] }, { tolerations: [{ ...toleration, tolerationSeconds: 6 }] }, []],
	[
		'a toleration may not go, and that is all that is said of it',
		{ tolerations: [toleration] },
		{ tolerations: [] },
		['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
	],
	[
		'what else is wrong is told beside what may not change',
		{},
		{ subdomain: 'A b' },
		[
			"spec.subdomain: Invalid value: \"A b\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
			FEW,
		],
	],
	[
		'a pod that waits may be narrowed',
		gated({ nodeSelector: { a: '1' } }),
		gated({ nodeSelector: { a: '1', b: '2' }, ...affinity(['x']) }),
		[],
	],
	[
		'but not moved',
		gated({ nodeSelector: { a: '1' } }),
		gated({ nodeSelector: { a: '2' } }),
		['spec.nodeSelector: Invalid value: {"a":"2"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)'],
	],
	['requirements may be added', gated(affinity(['x'])), gated(affinity(['x', 'y'])), []],
	[
		'and not changed',
		gated(affinity(['x'])),
		gated(affinity(['y'])),
		[
			`${TERMS}[0]: Invalid value: {"MatchExpressions":[{"Key":"y","Operator":"Exists","Values":null}],"MatchFields":null}: only additions are allowed (no mutations or deletions)`,
		],
	],
	[
		'nor terms added, which are alternatives',
		gated(affinity(['x'])),
		gated(affinity(['x'], ['y'])),
		[
			`${TERMS}: Invalid value: [{"MatchExpressions":[{"Key":"x","Operator":"Exists","Values":null}],"MatchFields":null},{"MatchExpressions":[{"Key":"y","Operator":"Exists","Values":null}],"MatchFields":null}]: no additions/deletions to non-empty NodeSelectorTerms list are allowed`,
		],
	],
	['one that does not wait stays', { nodeSelector: { a: '1' } }, { nodeSelector: { a: '1', b: '2' } }, [FEW]],
] as const)
	test(`pods: ${rule}`, (t) => t.deepEqual(complaints(before, after), [...want]));

test('pods: a mirror stays one', (t) => {
	const spec = { nodeName: 'n' };
	t.deepEqual(complaints(spec, spec, { [MIRROR]: 'x' }, {}), [
		`metadata.annotations[${MIRROR}]: Forbidden: may not remove or update mirror pod annotation`,
	]);
	t.deepEqual(complaints(spec, spec, {}, { [MIRROR]: 'x' }), [
		`metadata.annotations[${MIRROR}]: Forbidden: may not add mirror pod annotation`,
	]);
});
