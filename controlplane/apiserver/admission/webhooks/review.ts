/** AdmissionReview: the question as upstream asks it, and what the answer must be to count. Pure. */
import { base64Complaint } from '../../../../api/codec/canonical-scalar.ts';
import { jsonSyntaxError } from '../../../../api/codec/json-syntax.ts';
import { jsonKind } from '../../../../api/codec/mismatch.ts';
import { goQuote } from '../../../../api/go-quote.ts';
import type { KubeObject } from '../../../../api/resource.ts';
import { AppError } from '../../../../base/errors.ts';
import type { Status } from '../../../../api/gen/types.ts';
import { StatusError } from '../../../../api/status.ts';
import type { AdmissionAttributes } from '../../contracts.ts';
import { requestFields } from '../matching/request-fields.ts';
import type { Named } from '../matching/versions.ts';

export interface ReviewResponse {
	readonly uid?: string;
	readonly allowed?: boolean;
	readonly status?: Status;
	/** base64 */
	readonly patch?: string;
	readonly patchType?: string;
	readonly auditAnnotations?: Readonly<Record<string, string>>;
	readonly warnings?: readonly string[];
}

const GROUP = 'admission.k8s.io';
const VERSIONS = ['v1', 'v1beta1'];

/** The first version both sides know. AppError FailedPrecondition when there is none. */
export function reviewVersion(accepted: readonly string[]): string {
	const version = accepted.find((v) => VERSIONS.includes(v));
	if (version === undefined)
		throw new AppError('FailedPrecondition', 'webhook does not accept known AdmissionReview versions (v1, v1beta1)');
	return `${GROUP}/${version}`;
}

/** @param objects in the version named */
export function review(
	apiVersion: string,
	uid: string,
	attributes: AdmissionAttributes,
	named: Named,
	objects: { readonly object: KubeObject | undefined; readonly oldObject: KubeObject | undefined },
): object {
	const { dryRun, options, ...fields } = requestFields(attributes, named);
	return {
		kind: 'AdmissionReview',
		apiVersion,
		request: { uid, ...fields, object: objects.object ?? null, oldObject: objects.oldObject ?? null, dryRun, options },
	};
}

/** AppError InvalidArgument, in the decoder's words, for an answer that cannot be read as a review of this version. */
export function readable(answer: unknown, wanted: string): unknown {
	const wrong = (why: string): AppError => new AppError('InvalidArgument', why);
	const {
		apiVersion = '',
		kind = '',
		response,
	} = (answer ?? {}) as {
		readonly apiVersion?: string;
		readonly kind?: string;
		readonly response?: Readonly<Record<string, unknown>> | null;
	};
	if (apiVersion !== '' && kind !== '') {
		const isKnown = kind === 'AdmissionReview' && VERSIONS.some((version) => apiVersion === `${GROUP}/${version}`);
		if (!isKnown)
			throw wrong(`no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`);
		const named = (one: string): string => `(${one.slice(GROUP.length + 1)}.AdmissionReview)`;
		if (apiVersion !== wanted) throw wrong(`converting ${named(apiVersion)} to ${named(wanted)}: unknown conversion`);
	}
	const misfit = (field: string, type: string): AppError =>
		wrong(`json: cannot unmarshal ${jsonKind(response?.[field])} into Go struct field AdmissionResponse.response.${field} of type ${type}`);
	const { allowed = null, status = null, patch = null } = response ?? {};
	if (allowed !== null && typeof allowed !== 'boolean') throw misfit('allowed', 'bool');
	if (status !== null && (typeof status !== 'object' || Array.isArray(status))) throw misfit('status', 'v1.Status');
	const fault = typeof patch === 'string' ? base64Complaint(patch) : undefined;
	if (fault !== undefined) throw wrong(fault);
	return answer;
}

/** AppError InvalidArgument for an answer that is none (upstream VerifyAdmissionResponse). */
export function verified(answer: unknown, apiVersion: string, uid: string, mutating: boolean): ReviewResponse {
	const invalid = (why: string): AppError => new AppError('InvalidArgument', why);
	const review = (answer ?? {}) as { readonly apiVersion?: string; readonly kind?: string; readonly response?: ReviewResponse | null };
	const { response } = review;
	if (response === undefined || response === null) throw invalid('webhook response was absent');
	const { uid: given = '', patch = '', patchType } = response;
	if (apiVersion === `${GROUP}/v1`) {
		if (given !== uid) throw invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(given)}`);
		const kind = `${(review.apiVersion ?? '') === '' ? '/' : review.apiVersion}, Kind=${review.kind ?? ''}`;
		if (kind !== `${GROUP}/v1, Kind=AdmissionReview`)
			throw invalid(`expected webhook response of ${GROUP}/v1, Kind=AdmissionReview, got ${kind}`);
		if (!mutating && patch !== '') throw invalid('validating webhook may not return response.patch');
		if (!mutating && patchType !== undefined) throw invalid('validating webhook may not return response.patchType');
		if (patch !== '' && patchType === undefined) throw invalid('webhook returned response.patch but not response.patchType');
		if (patch === '' && patchType !== undefined) throw invalid('webhook returned response.patchType but not response.patch');
		if (patchType === '') throw invalid('webhook returned invalid response.patchType of ""');
		return response;
	}
	// v1beta1 knew one kind of patch and did not check the rest, the uid neither.
	const { patch: _p, patchType: _t, ...rest } = response;
	return mutating && patch !== '' ? { ...rest, patch, patchType: 'JSONPatch' } : rest;
}

/** The operations of the answer's patch. AppError InvalidArgument for one that cannot be read. */
export function patchOf({ patch = '', patchType }: ReviewResponse): readonly unknown[] {
	const text = Buffer.from(patch, 'base64').toString();
	if (text === '') return [];
	const undecodable = (why: string): AppError => new AppError('InvalidArgument', `received undecodable patch in webhook response: ${why}`);
	let decoded: unknown;
	try {
		decoded = JSON.parse(text);
	} catch {
		throw undecodable(jsonSyntaxError(text));
	}
	if (decoded !== null && !Array.isArray(decoded))
		throw undecodable(`json: cannot unmarshal ${jsonKind(decoded)} into Go value of type jsonpatch.Patch`);
	const operations = (decoded ?? []) as readonly unknown[];
	if (operations.length > 0 && patchType !== 'JSONPatch')
		throw new AppError('InvalidArgument', `unsupported patch type ${JSON.stringify(patchType)}`);
	return operations;
}

/** A webhook's no, as the client gets it (upstream ToStatusErr). */
export function denial(webhook: string, status: Status | undefined): StatusError {
	const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
	const { metadata = {}, message = '', reason = '', details, code = 0, status: outcome = '' } = status ?? {};
	return new StatusError({
		metadata,
		status: outcome === '' || outcome === 'Success' ? 'Failure' : outcome,
		message: message !== '' ? `${by}: ${message}` : reason !== '' ? `${by}: ${reason}` : `${by} without explanation`,
		...(reason === '' ? {} : { reason }),
		...(details === undefined ? {} : { details }),
		code: code < 400 ? 400 : code,
	});
}
