/** Answers of conversion webhooks that are no reviews, as upstream tells them. */
import test from 'ava';
import type { CustomResourceDefinition } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { VirtualClock } from '../../../base/virtual-clock.ts';
import { converterOf } from './conversion-webhook.ts';

const { signal } = new AbortController();
const definition = {
	metadata: { name: 'things.c.io' },
	spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v1'] } } },
} as unknown as CustomResourceDefinition;
const thing = { apiVersion: 'c.io/v1', kind: 'Thing', metadata: { name: 'a' } } as KubeObject;
const REVIEW = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' };

for (const [what, answer, why] of [
	['no response', { ...REVIEW, response: null }, 'failed: no response provided'],
	['no list of objects', { ...REVIEW, response: { result: { status: 'Success' }, convertedObjects: 5 } }, 'returned 0 objects, expected 1'],
	['nothing', {}, 'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind='],
	[
		'a review of another version',
		{ ...REVIEW, apiVersion: 'apiextensions.k8s.io/v1beta1' },
		'failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion',
	],
	[
		'another kind',
		{ apiVersion: 'v1', kind: 'Pod' },
		'failed: no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
	],
] as const)
	test(`a conversion webhook that answers with ${what}`, async (t) => {
		const post = (_config: unknown, { request }: { readonly request: { readonly uid: string } }): Promise<object> =>
			Promise.resolve(
				'response' in answer && answer.response !== null ? { ...answer, response: { uid: request.uid, ...answer.response } } : answer,
			);
		const { review } = converterOf(definition, { caller: { post } as never, clock: new VirtualClock() });
		await t.throwsAsync(async () => review?.([thing], 'c.io/v2', signal), { message: `conversion webhook for c.io/v1, Kind=Thing ${why}` });
	});

for (const [version, type, why] of [
	['v1', {}, 'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind='],
	[
		'v1',
		{ apiVersion: 'apiextensions.k8s.io/v1' },
		'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got apiextensions.k8s.io/v1, Kind=',
	],
	['v1beta1', {}, undefined],
	['v1beta1', { kind: 'ConversionReview' }, undefined],
	['v1beta1', { apiVersion: 'apiextensions.k8s.io/v1beta1' }, undefined],
	[
		'v1beta1',
		{ apiVersion: 'apiextensions.k8s.io/v1' },
		'converting (v1.ConversionReview) to (v1beta1.ConversionReview): unknown conversion',
	],
] as const)
	test(`a conversion webhook for ${version} whose answer says of its type ${JSON.stringify(type)}`, async (t) => {
		const made = { ...thing, apiVersion: 'c.io/v2' };
		const asked = structuredClone(definition);
		Object.assign(asked.spec.conversion?.webhook ?? {}, { conversionReviewVersions: [version] });
		const post = (_config: unknown, { request }: { readonly request: { readonly uid: string } }): Promise<object> =>
			Promise.resolve({ ...type, response: { uid: request.uid, result: { status: 'Success' }, convertedObjects: [made] } });
		const { review } = converterOf(asked, { caller: { post } as never, clock: new VirtualClock() });
		const answer = review?.([thing], 'c.io/v2', signal);
		if (why === undefined) t.deepEqual(await answer, [made]);
		else await t.throwsAsync(answer as Promise<unknown>, { message: `conversion webhook for c.io/v1, Kind=Thing failed: ${why}` });
	});
