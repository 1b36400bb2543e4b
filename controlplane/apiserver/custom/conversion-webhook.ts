/** Conversion by webhook: ConversionReview to the service or URL that the definition names. */
import type { CustomResourceDefinition, WebhookClientConfig } from '../../../api/gen/types.ts';
import { goQuote } from '../../../api/go-quote.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { StatusError } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import { messageOf } from '../../../base/errors.ts';
import type { ConversionFailure, CustomMetrics } from '../metrics/custom-metrics.ts';
import type { WebhookCaller } from '../webhook/caller.ts';
import { checkConverted } from './converted.ts';
import type { Converter } from './stored-form.ts';

/** Upstream's limit of one review. */
const TIMEOUT_MS = 30_000;

interface Review {
	readonly kind?: string;
	readonly apiVersion?: string;
	readonly response?: {
		readonly uid?: string;
		readonly convertedObjects?: unknown;
		readonly result?: { readonly status?: string; readonly message?: string };
	} | null;
}

/** Versions alike in all but their name. */
const RENAMING: Converter = { review: undefined };

interface Deps {
	readonly caller: WebhookCaller;
	readonly clock: Clock;
	readonly metrics?: CustomMetrics | undefined;
}

interface Webhook {
	/** The name of the definition. */
	readonly definition: string;
	readonly config: WebhookClientConfig;
	/** Of its reviews. */
	readonly version: string;
}

export function converterOf({ metadata, spec }: CustomResourceDefinition, deps: Deps): Converter {
	const { strategy, webhook } = spec.conversion ?? {};
	const config = webhook?.clientConfig;
	if (strategy !== 'Webhook' || config === undefined) return RENAMING;
	const version = (webhook?.conversionReviewVersions ?? []).find((one) => one === 'v1' || one === 'v1beta1') ?? 'v1';
	const asked: Webhook = { definition: metadata.name ?? '', config, version };
	return { review: (objects, apiVersion, signal) => review(objects, apiVersion, signal, asked, deps) };
}

async function review(
	objects: readonly KubeObject[],
	desiredAPIVersion: string,
	signal: AbortSignal,
	{ definition, config, version }: Webhook,
	{ caller, clock, metrics }: Deps,
): Promise<readonly KubeObject[]> {
	const wrong = objects.filter(({ apiVersion }) => apiVersion !== desiredAPIVersion);
	if (wrong.length === 0) return objects;
	const uid = clock.uuid();
	const reviewVersion = `apiextensions.k8s.io/${version}`;
	const body = { kind: 'ConversionReview', apiVersion: reviewVersion, request: { uid, desiredAPIVersion, objects: wrong } };
	const [first] = wrong as [KubeObject];
	const done = metrics?.conversion({ definition, from: versionOf(first.apiVersion), to: versionOf(desiredAPIVersion) });
	const refused = (failure: ConversionFailure, message: string): StatusError => {
		done?.(failure);
		return new StatusError({ metadata: {}, status: 'Failure', message, code: 500 });
	};
	const failed = (failure: ConversionFailure, why: string): StatusError =>
		refused(failure, `conversion webhook for ${first.apiVersion ?? ''}, Kind=${first.kind ?? ''} ${why}`);
	let answer: Review;
	try {
		answer = (await caller.post(config, body, TIMEOUT_MS, signal, 'timeout=30s')) as Review;
	} catch (error) {
		signal.throwIfAborted();
		throw failed('call', `failed: ${messageOf(error)}`);
	}
	const [kind, apiVersion] = [answer.kind || 'ConversionReview', answer.apiVersion || reviewVersion];
	if (kind !== 'ConversionReview' || apiVersion !== reviewVersion) throw failed('call', `failed: ${otherType(apiVersion, kind, version)}`);
	const malformed = malformation(answer, uid, version);
	if (malformed !== undefined) throw failed('malformed_response', `failed: ${malformed}`);
	const { convertedObjects } = answer.response ?? {};
	const converted: readonly unknown[] = Array.isArray(convertedObjects) ? convertedObjects : [];
	if (converted.length !== wrong.length) throw failed('partial_response', `returned ${converted.length} objects, expected ${wrong.length}`);
	const checked = checkConverted(converted, wrong, desiredAPIVersion);
	if ('fault' in checked) throw (checked.isWhole === true ? refused : failed)('invalid_converted_object', checked.fault);
	done?.();
	const made = [...checked.objects];
	return objects.map((object) => (object.apiVersion === desiredAPIVersion ? object : (made.shift() as KubeObject)));
}

/** What Go's decoder says of an answer that is no review of the version that was sent; what it does not say is taken to be right. */
function otherType(apiVersion: string, kind: string, version: string): string {
	const [group = '', given = ''] = apiVersion.split('/');
	if (kind === 'ConversionReview' && group === 'apiextensions.k8s.io' && (given === 'v1' || given === 'v1beta1'))
		return `converting (${given}.ConversionReview) to (${version}.ConversionReview): unknown conversion`;
	return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
}

function versionOf(apiVersion = ''): string {
	return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** What is wrong with an answer. Only of v1 it is asked what it is and what it answers. */
function malformation({ kind = '', apiVersion = '', response }: Review, uid: string, version: string): string | undefined {
	if (version === 'v1' && (apiVersion === '' || kind === ''))
		return `expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ${apiVersion === '' ? '/' : apiVersion}, Kind=${kind}`;
	if (response === undefined || response === null) return 'no response provided';
	if (version === 'v1' && response.uid !== uid)
		return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`;
	if (response.result?.status !== 'Success') {
		const { message = '' } = response.result ?? {};
		return message === '' ? "response.result.status was '" + (response.result?.status ?? '') + "', not 'Success'" : message;
	}
	return undefined;
}
