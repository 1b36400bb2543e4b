import test from 'ava';
import { StatusError } from '../../../../api/status.ts';
import { VirtualClock } from '../../../../base/virtual-clock.ts';
import { AppError } from '../../../../base/errors.ts';
import type { AdmissionAttributes } from '../../contracts.ts';
import { Versions } from '../matching/versions.ts';
import { MutatingWebhooks } from './mutating.ts';
import { denial } from './review.ts';
import { ValidatingWebhooks } from './validating.ts';

const NEVER = new AbortController().signal;
const RULES = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];

interface Seen {
	/** The refusal as code and message; undefined: none. */
	readonly refused: string | undefined;
	readonly notes: readonly string[];
	readonly data: unknown;
}

/** What becomes of a ConfigMap with these webhooks, which answer so, each in a configuration of its own. @param answers a text: the call fails */
async function write(
	kind: 'mutating' | 'validating',
	answers: Readonly<Record<string, object | string>>,
	more: object = {},
): Promise<Seen> {
	const hook = (name: string): object => ({
		...{ name, rules: RULES, admissionReviewVersions: ['v1'], sideEffects: 'None', clientConfig: { url: name } },
		...more,
	});
	const configurations = Object.keys(answers).map((name) => ({ metadata: { name: `of-${name}` }, webhooks: [hook(name)] }));
	const caller = {
		post: ({ url }: { readonly url: string }, { request }: { readonly request: { readonly uid: string } }): Promise<unknown> => {
			const response = answers[url];
			if (typeof response === 'string') return Promise.reject(new AppError('Unavailable', response));
			const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: request.uid, ...response } };
			return Promise.resolve(review);
		},
	};
	const clock = new VirtualClock();
	const deps = {
		caller: caller as never,
		clock,
		objects: { get: () => undefined, list: () => configurations as never, onChange: () => ({ [Symbol.dispose]: () => {} }) },
		versions: new Versions({ byPath: () => undefined, all: () => [] } as never, clock),
		conditions: { hold: () => Promise.resolve(true) },
	};
	const notes: string[] = [];
	const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } };
	const attributes = {
		...{ operation: 'CREATE', group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', subresource: '' },
		...{ namespace: 'n', name: 'a', object, oldObject: undefined, dryRun: false, options: {}, warn: () => {} },
		user: { name: 'u', uid: '', groups: [], extra: {} },
		annotate: (key: string, value: string, level = 'Metadata') => void notes.push(`${level} ${key}=${value}`),
	} as unknown as AdmissionAttributes;
	let refused: string | undefined;
	try {
		if (kind === 'mutating') await new MutatingWebhooks(deps).mutate(attributes, NEVER);
		else await new ValidatingWebhooks(deps).validate(attributes, NEVER);
	} catch (error) {
		if (!(error instanceof StatusError)) throw error;
		refused = `${error.httpCode} ${error.message}`;
	}
	return { refused, notes, data: object.data };
}

const patching = (patch: string): object => ({ allowed: true, patchType: 'JSONPatch', patch: Buffer.from(patch).toString('base64') });
const mutation = (index: number, name: string, mutated: boolean): string =>
	`Metadata mutation.webhook.admission.k8s.io/round_0_index_${index}={"configuration":"of-${name}","webhook":"${name}","mutated":${mutated}}`;

test('mutating webhooks: audit has what each changed, its patch where requests are logged, and who refused', async (t) => {
	const seen = await write('mutating', {
		a: patching('[{"value":"<","path":"/data/k","op":"replace"}]'),
		b: { allowed: true },
		c: { allowed: false, status: { message: 'no' } },
	});
	t.deepEqual(seen, {
		refused: '400 admission webhook "c" denied the request: no',
		notes: [
			'Request patch.webhook.admission.k8s.io/round_0_index_0={"configuration":"of-a","webhook":"a","patch":[{"op":"replace","path":"/data/k","value":"\\u003c"}],"patchType":"JSONPatch"}',
			mutation(0, 'a', true),
			mutation(1, 'b', false),
			mutation(2, 'c', false),
		],
		data: { k: '<' },
	});
});

test('mutating webhooks: the first patch of a new object counts as a change, even where it changes nothing', async (t) => {
	const same = patching('[{"value":"v","path":"/data/k","op":"replace"}]');
	const { notes } = await write('mutating', { a: { allowed: true }, b: same, c: same });
	t.deepEqual(
		notes.filter((note) => note.startsWith('Metadata')),
		[mutation(0, 'a', false), mutation(1, 'b', true), mutation(2, 'c', false)],
	);
});

const UNREADABLE =
	'failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool';

for (const [what, answer, why] of [
	['fails', 'dial tcp', 'failed to call webhook: dial tcp'],
	[
		'answers with a patch that is no JSON',
		patching('zork'),
		"received undecodable patch in webhook response: invalid character 'z' looking for beginning of value",
	],
	[
		'answers with a patch that is no list',
		patching('{}'),
		'received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch',
	],
	['answers what is no review', { allowed: 'yes' }, UNREADABLE],
	['answers with another patch', { ...patching('[{}]'), patchType: 'MergePatch' }, 'unsupported patch type "MergePatch"'],
] as const) {
	test(`a mutating webhook that ${what} refuses the write`, async (t) => {
		const { refused } = await write('mutating', { a: { allowed: true }, b: answer });
		t.is(refused, `500 Internal error occurred: failed calling webhook "b": ${why}`);
	});

	test(`a mutating webhook that ${what} is passed over where it may fail`, async (t) => {
		const { refused, notes, data } = await write('mutating', { a: { allowed: true }, b: answer }, { failurePolicy: 'Ignore' });
		t.deepEqual({ refused, data }, { refused: undefined, data: { k: 'v' } });
		t.deepEqual(notes, [
			mutation(0, 'a', false),
			'Metadata failed-open.mutation.webhook.admission.k8s.io/round_0_index_1=b',
			mutation(1, 'b', false),
		]);
	});
}

test('validating webhooks that fail open are numbered among those that are asked', async (t) => {
	const { refused, notes } = await write('validating', { a: 'x', b: { allowed: true }, c: 'y' }, { failurePolicy: 'Ignore' });
	t.is(refused, undefined);
	t.deepEqual(notes.toSorted(), [
		'Metadata failed-open.validating.webhook.admission.k8s.io/round_0_index_0=a',
		'Metadata failed-open.validating.webhook.admission.k8s.io/round_0_index_2=c',
	]);
});

test('notes of webhooks for the audit log have names that are some', async (t) => {
	const auditAnnotations = { good: 'a', 'b/c': 'd', 'e f': 'g', '': 'h' };
	const { notes } = await write('validating', { a: { allowed: true, auditAnnotations } });
	t.deepEqual(notes, ['Metadata a/good=a']);
});

test('a denial is told in the order of every Status', async (t) => {
	const status = { code: 409, reason: 'Conflict', message: 'm', details: { name: 'n' } };
	const { status: told } = denial('a', status as never);
	t.is(
		JSON.stringify(told),
		'{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"admission webhook \\"a\\" denied the request: m","reason":"Conflict","details":{"name":"n"},"code":409}',
	);
});
