/** ImagePolicyWebhook: a service says whether a pod may have its images (imagepolicy.k8s.io/v1alpha1 ImageReview); its answers are kept for a while. */
import { decodeObject } from '../../../../api/codec/codec.ts';
import type { Pod } from '../../../../api/gen/types.ts';
import { AppError, messageOf } from '../../../../base/errors.ts';
import type { BackoffPolicy } from '../../../../base/backoff.ts';
import type { Clock } from '../../../../base/clock.ts';
import { Lru } from '../../../../base/lru.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../contracts.ts';
import type { Remote, RemoteTarget } from '../../webhook/remote.ts';
import { Shape } from '../../../../base/shape.ts';
import { refusal } from '../refusal.ts';
import { written } from '../target.ts';

export interface ImagePolicyOptions {
	readonly target: RemoteTarget;
	/** How long a yes and a no are kept; 0: not at all. */
	readonly allowMs: number;
	readonly denyMs: number;
	readonly retries: BackoffPolicy & { readonly attempts: number };
	/** Where nobody answers. */
	readonly defaultAllow: boolean;
}

interface ReviewStatus {
	readonly allowed?: boolean;
	readonly reason?: string;
	readonly auditAnnotations?: Readonly<Record<string, string>>;
}

const REVIEW = { group: 'imagepolicy.k8s.io', version: 'v1alpha1', kind: 'ImageReview' };
const NOTE = 'imagepolicywebhook.image-policy.k8s.io/';
/** Upstream's response cache. */
const KEPT = 1024;
const TIMEOUT_MS = 30_000;

export function imagePolicy(options: Omit<ImagePolicyOptions, 'target'>, remote: Pick<Remote, 'post'>, clock: Clock): AdmissionPlugin {
	const known = new Lru<string, { readonly until: number; readonly status: ReviewStatus }>(KEPT);
	const ask = async (spec: object, signal: AbortSignal): Promise<ReviewStatus> => {
		const key = JSON.stringify(spec);
		const kept = known.get(key);
		if (kept !== undefined && clock.monotonic() < kept.until) return kept.status;
		const review = { kind: REVIEW.kind, apiVersion: `${REVIEW.group}/${REVIEW.version}`, metadata: {}, spec, status: { allowed: false } };
		const status = statusOf(await remote.post(review, TIMEOUT_MS, signal, options.retries));
		const keepMs = status.allowed === true ? options.allowMs : options.denyMs;
		if (keepMs > 0) known.set(key, { until: clock.monotonic() + keepMs, status });
		return status;
	};
	return {
		name: 'ImagePolicyWebhook',
		handles: ({ group, resource, subresource, operation }) =>
			group === '' &&
			resource === 'pods' &&
			(subresource === '' || subresource === 'ephemeralcontainers') &&
			(operation === 'CREATE' || operation === 'UPDATE'),
		async validate(attributes, signal) {
			let status: ReviewStatus;
			try {
				status = await ask(specOf(attributes), signal);
			} catch (error) {
				signal.throwIfAborted();
				if (!options.defaultAllow) throw refusal(attributes, messageOf(error));
				attributes.annotate?.(`${NOTE}failed-open`, 'true');
				return;
			}
			for (const [key, value] of Object.entries(status.auditAnnotations ?? {})) attributes.annotate?.(NOTE + key, value);
			if (status.allowed === true) return;
			const { reason = '' } = status;
			const why =
				reason === ''
					? 'one or more images rejected by webhook backend'
					: `image policy webhook backend denied one or more images: ${reason}`;
			throw refusal(attributes, why);
		},
	};
}

/**
 * What a review says. As upstream's decoder has it, an answer that names no kind is one, and without a status a no; what is of another kind or
 * shape is no answer. AppError InvalidArgument, Internal.
 */
function statusOf(answer: unknown): ReviewStatus {
	if (answer === undefined) throw new AppError('Internal', '0-length response');
	const object = decodeObject(answer, REVIEW, { strictness: 'Ignore', warn: () => {}, patch: { strict: [], unstructured: false } });
	const status = new Shape(object, '').map('status');
	const notes = status.map('auditAnnotations');
	return {
		allowed: status.bool('allowed'),
		reason: status.text('reason'),
		auditAnnotations: Object.fromEntries(Object.keys(notes.value).map((key) => [key, notes.text(key)])),
	};
}

/** The question: images, and what the pod's annotations say to the service. */
function specOf(attributes: AdmissionAttributes): object {
	const { metadata, spec } = written<Pod>(attributes);
	const all =
		attributes.subresource === '' ? [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])] : (spec?.ephemeralContainers ?? []);
	const containers = all.map(({ image = '' }) => (image === '' ? {} : { image }));
	const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.includes('.image-policy.k8s.io/'));
	return {
		...(containers.length === 0 ? {} : { containers }),
		...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations.toSorted(([a], [b]) => (a < b ? -1 : 1))) }),
		...(attributes.namespace === '' ? {} : { namespace: attributes.namespace }),
	};
}
