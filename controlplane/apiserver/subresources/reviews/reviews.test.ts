import test from 'ava';
import type { ApiRequest, Attributes, SubresourceHandler } from '../../contracts.ts';
import type { BodyCodec } from '../../request/body-codec.ts';
import { accessReviews } from './access-review.ts';
import { reviewErrors } from './access-review-validation.ts';
import { rulesReview } from './rules-review.ts';
import { tokenReview } from './token-review.ts';

/** What a review that is posted comes back as. */
async function answered(
	handlers: (codec: BodyCodec) => readonly SubresourceHandler[],
	resource: string,
	body: object,
	namespace = '',
): Promise<object> {
	let written: object = {};
	const codec = {
		read: () => Promise.resolve(body),
		write: (_request: ApiRequest, _code: number, object: object) => {
			written = object;
			return { status: 201 };
		},
	} as unknown as BodyCodec;
	const handler = handlers(codec).find((one) => one.resource === resource);
	const request = { user: { name: 'u', uid: '', groups: [], extra: {} }, signal: new AbortController().signal } as unknown as ApiRequest;
	await handler?.handle(request, { namespace, name: '' } as never);
	return written;
}

for (const [what, incomplete, errors, want] of [
	['all is known', false, [], { incomplete: false }],
	['a role is missing', false, ['r'], { incomplete: false, evaluationError: 'r' }],
	['a webhook decides, too', true, ['webhook', 'r'], { incomplete: true, evaluationError: '[webhook, r]' }],
] as const)
	test(`a review of rules where ${what}`, async (t) => {
		const review = (codec: BodyCodec): readonly SubresourceHandler[] => [
			rulesReview(codec, { rulesFor: () => ({ rules: [], incomplete, errors }) }),
		];
		const { status } = (await answered(review, 'selfsubjectrulesreviews', { spec: { namespace: 'n' } })) as { readonly status: object };
		t.deepEqual(status, { resourceRules: [], nonResourceRules: [], ...want });
	});

for (const [version, want] of [
	['', '*'],
	['v1', 'v1'],
] as const)
	test(`a review of access to version "${version}" is about ${want}`, async (t) => {
		const asked: Attributes[] = [];
		const authorize = (attributes: Attributes): Promise<object> => {
			asked.push(attributes);
			return Promise.resolve({ allowed: true, denied: false, reason: '' });
		};
		const reviews = (codec: BodyCodec): readonly SubresourceHandler[] => accessReviews({ codec, authorizer: { authorize } as never });
		await answered(reviews, 'selfsubjectaccessreviews', { spec: { resourceAttributes: { verb: 'get', resource: 'pods', version } } });
		t.like(asked[0], { type: 'resource', version: want });
	});

const COUNTS = 'when `operator` is';
for (const [kind, selector, want] of [
	['fieldSelector', { requirements: [{ key: '', operator: 'In', values: ['1'] }] }, ['[0].key: Required value: must be specified']],
	['fieldSelector', { requirements: [{ key: 'a b', operator: 'Near', values: ['x y'] }] }, []],
	[
		'fieldSelector',
		{ requirements: [{ key: 'a', operator: 'In' }] },
		[`[0].values: Required value: must be specified ${COUNTS} 'In' or 'NotIn'`],
	],
	[
		'labelSelector',
		{ requirements: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
		[`[0].values: Forbidden: may not be specified ${COUNTS} 'Exists' or 'DoesNotExist'`],
	],
	['labelSelector', { requirements: [{ key: 'a', operator: 'Near', values: ['1'] }] }, []],
	['labelSelector', { requirements: [{ key: '', operator: 'Exists' }] }, [/^\[0\]\.key: .*name part must be non-empty$/, /^\[0\]\.key: /]],
	['labelSelector', {}, [/^: Required value: when .*labelSelector is specified, requirements or rawSelector is required$/]],
] as const)
	test(`a review's ${kind} ${JSON.stringify(selector)} is judged`, (t) => {
		const spec = { user: 'u', resourceAttributes: { [kind]: selector } };
		const found = reviewErrors({ spec } as never, '', true).map(
			({ field, message }) => `${field?.replace(`spec.resourceAttributes.${kind}.requirements`, '')}: ${message}`,
		);
		t.is(found.length, want.length);
		for (const [i, one] of want.entries()) {
			const text = found[i] ?? '';
			if (typeof one === 'string') t.is(text, one);
			else t.regex(text, one);
		}
	});

test('selectors of a review are handed on as far as they are understood', async (t) => {
	const asked: Attributes[] = [];
	const authorize = (attributes: Attributes): Promise<object> => {
		asked.push(attributes);
		return Promise.resolve({ allowed: true, denied: false, reason: '' });
	};
	const reviews = (codec: BodyCodec): readonly SubresourceHandler[] => accessReviews({ codec, authorizer: { authorize } as never });
	const requirements = [
		{ key: 'a', operator: 'NotIn', values: ['1'] },
		{ key: 'b', operator: 'Near', values: ['2'] },
	];
	const resourceAttributes = { verb: 'list', resource: 'pods', fieldSelector: { requirements }, labelSelector: { rawSelector: 'c=3' } };
	const { status } = (await answered(reviews, 'selfsubjectaccessreviews', { spec: { resourceAttributes } })) as { readonly status: object };
	t.like(status, { evaluationError: 'spec.resourceAttributes.fieldSelector partially ignored due to parse error' });
	const [attributes] = asked;
	t.deepEqual(attributes?.type === 'resource' ? attributes.selectors?.() : undefined, {
		fields: [{ key: 'a', operator: 'NotIn', values: ['1'] }],
		labels: [{ key: 'c', operator: 'In', values: ['3'] }],
	});
});

const known = {
	authenticateToken: (token: string, audiences: readonly string[]) =>
		Promise.resolve(token === 'good' ? { user: { name: 'u', uid: '', groups: [], extra: {} }, audiences } : undefined),
};

for (const [what, token, status, want] of [
	['a good token', 'good', {}, { authenticated: true, user: { username: 'u', groups: ['system:authenticated'] }, audiences: ['own'] }],
	[
		'what follows a space',
		'good x',
		{},
		{ authenticated: true, user: { username: 'u', groups: ['system:authenticated'] }, audiences: ['own'] },
	],
	['nothing before a space', ' good', {}, { user: {}, error: 'invalid bearer token' }],
	[
		'a bad one that is said to be good',
		'bad',
		{ authenticated: true, user: { username: 'x' } },
		{ user: { username: 'x' }, error: 'invalid bearer token' },
	],
] as const)
	test(`a review of a token: ${what}`, async (t) => {
		const review = (codec: BodyCodec): readonly SubresourceHandler[] => [
			tokenReview({ codec, authenticators: [known], audiences: ['own'] }),
		];
		const answer = (await answered(review, 'tokenreviews', { spec: { token }, status })) as { readonly status: object };
		t.deepEqual(answer.status, want as object);
	});
