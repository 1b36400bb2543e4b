/** Conversion by webhook: ConversionReview to the service or URL that the definition names. */
import type { CustomResourceDefinition, WebhookClientConfig } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { WebhookCaller } from '../webhook/caller.ts';
import type { Converter } from './stored-form.ts';

/** Upstream's limit of one review. */
const TIMEOUT_MS = 30_000;

interface Review {
	readonly kind?: string;
	readonly apiVersion?: string;
	readonly response?: {
		readonly uid?: string;
		readonly convertedObjects?: readonly KubeObject[];
		readonly result?: { readonly status?: string; readonly message?: string };
	};
}

/** Versions alike in all but their name. */
const RENAMING: Converter = { review: undefined };

export function converterOf({ spec }: CustomResourceDefinition, caller: WebhookCaller, clock: Clock): Converter {
	const { strategy, webhook } = spec.conversion ?? {};
	const config = webhook?.clientConfig;
	if (strategy !== 'Webhook' || config === undefined) return RENAMING;
	const version = (webhook?.conversionReviewVersions ?? []).includes('v1') ? 'v1' : 'v1beta1';
	return { review: (objects, apiVersion, signal) => review(objects, apiVersion, signal, config, version, caller, clock) };
}

async function review(
	objects: readonly KubeObject[],
	desiredAPIVersion: string,
	signal: AbortSignal,
	config: WebhookClientConfig,
	version: string,
	caller: WebhookCaller,
	clock: Clock,
): Promise<readonly KubeObject[]> {
	const wrong = objects.filter(({ apiVersion }) => apiVersion !== desiredAPIVersion);
	if (wrong.length === 0) return objects;
	const uid = clock.uuid();
	const reviewVersion = `apiextensions.k8s.io/${version}`;
	const body = { kind: 'ConversionReview', apiVersion: reviewVersion, request: { uid, desiredAPIVersion, objects: wrong } };
	const [first] = wrong as [KubeObject];
	const failed = (why: string): StatusError =>
		new StatusError({
			metadata: {},
			status: 'Failure',
			message: `conversion webhook for ${first.apiVersion ?? ''}, Kind=${first.kind ?? ''} failed: ${why}`,
			code: 500,
		});
	let answer: Review;
	try {
		answer = (await caller.post(config, body, TIMEOUT_MS, signal)) as Review;
	} catch (error) {
		signal.throwIfAborted();
		throw failed(messageOf(error));
	}
	const why = complaint(answer, uid, reviewVersion, wrong, desiredAPIVersion);
	if (why !== undefined) throw failed(why);
	const converted = [...(answer.response?.convertedObjects ?? [])];
	return objects.map((object) => (object.apiVersion === desiredAPIVersion ? object : restored(converted.shift() as KubeObject, object)));
}

/** What is wrong with an answer. */
function complaint(answer: Review, uid: string, version: string, sent: readonly KubeObject[], desired: string): string | undefined {
	const { response } = answer;
	if (answer.kind !== 'ConversionReview' || answer.apiVersion !== version)
		return `expected webhook response of ${version}, Kind=ConversionReview, got ${answer.apiVersion ?? ''}, Kind=${answer.kind ?? ''}`;
	if (response === undefined) return 'no response provided';
	if (version.endsWith('/v1') && response.uid !== uid)
		return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`;
	if (response.result?.status !== 'Success') {
		const { message = '' } = response.result ?? {};
		return message === '' ? "response.result.status was '" + (response.result?.status ?? '') + "', not 'Success'" : message;
	}
	const converted = response.convertedObjects ?? [];
	if (converted.length !== sent.length) return `webhook returned ${converted.length} objects, expected ${sent.length}`;
	for (const [i, object] of converted.entries()) {
		const was = sent[i] as KubeObject;
		if (object.apiVersion !== desired)
			return `webhook returned invalid converted object at index ${i}: invalid groupVersion, expected ${desired}, got ${object.apiVersion ?? ''}`;
		if (object.kind !== was.kind)
			return `webhook returned invalid converted object at index ${i}: invalid kind, expected ${was.kind ?? ''}, got ${object.kind ?? ''}`;
		for (const key of ['name', 'namespace', 'uid'] as const)
			if ((object.metadata?.[key] ?? '') !== (was.metadata[key] ?? ''))
				return `webhook returned invalid metadata at index ${i}: metadata.${key} must not be changed`;
	}
	return undefined;
}

/** A webhook may change labels and annotations; the rest of metadata stays as it was. */
function restored(object: KubeObject, was: KubeObject): KubeObject {
	const { labels, annotations } = object.metadata;
	const { labels: _l, annotations: _a, ...rest } = was.metadata;
	return {
		...object,
		metadata: { ...rest, ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) },
	};
}
