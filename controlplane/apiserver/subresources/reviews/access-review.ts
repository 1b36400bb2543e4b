/** subjectaccessreviews and their self and local forms: may somebody do something? */
import type { SelfSubjectAccessReview, SubjectAccessReview, SubjectAccessReviewSpec } from '../../../../api/gen/types.ts';
import { invalid } from '../../../../api/status.ts';
import type { ApiRequest, ApiResponse, Attributes, Authorizer, SubresourceHandler, UserInfo } from '../../contracts.ts';
import type { BodyCodec } from '../../request/body-codec.ts';
import { reviewErrors } from './access-review-validation.ts';
import { reviewSelectors } from './review-selectors.ts';

interface Deps {
	readonly codec: BodyCodec;
	readonly authorizer: Authorizer;
}

const GROUP = 'authorization.k8s.io';

export function accessReviews(deps: Deps): readonly SubresourceHandler[] {
	const one = (resource: string, handle: (request: ApiRequest, namespace: string) => Promise<ApiResponse>): SubresourceHandler => ({
		group: GROUP,
		resource,
		subresource: '',
		handle: (request, target) => handle(request, target.namespace),
	});
	return [
		one('subjectaccessreviews', (request) => review(deps, request, 'SubjectAccessReview', '')),
		one('localsubjectaccessreviews', (request, namespace) => review(deps, request, 'LocalSubjectAccessReview', namespace)),
		one('selfsubjectaccessreviews', (request) => reviewSelf(deps, request)),
	];
}

async function review({ codec, authorizer }: Deps, request: ApiRequest, kind: string, namespace: string): Promise<ApiResponse> {
	const asked = await codec.read<SubjectAccessReview>(request, { group: GROUP, version: 'v1', kind });
	const causes = reviewErrors(asked, namespace, true);
	if (causes.length > 0) throw invalid({ group: GROUP, kind: '' }, '', causes);
	const { user = '', uid = '', groups = [], extra = {} } = asked.spec;
	const status = await decide(authorizer, asked.spec, { name: user, uid, groups, extra }, request.signal);
	const metadata = namespace === '' ? asked.metadata : { ...asked.metadata, namespace };
	return codec.write(request, 201, { ...asked, metadata, status });
}

async function reviewSelf({ codec, authorizer }: Deps, request: ApiRequest): Promise<ApiResponse> {
	const kind = { group: GROUP, version: 'v1', kind: 'SelfSubjectAccessReview' };
	const asked = await codec.read<SelfSubjectAccessReview>(request, kind);
	const causes = reviewErrors(asked, '', false);
	if (causes.length > 0) throw invalid({ group: GROUP, kind: '' }, '', causes);
	const status = await decide(authorizer, asked.spec, request.user, request.signal);
	return codec.write(request, 201, { ...asked, status });
}

async function decide(
	authorizer: Authorizer,
	spec: Pick<SubjectAccessReviewSpec, 'resourceAttributes' | 'nonResourceAttributes'>,
	user: UserInfo,
	signal: AbortSignal,
): Promise<object> {
	const { attributes, errors } = attributesOf(spec, user);
	const { allowed, denied, reason, error } = await authorizer.authorize(attributes, signal);
	const all = [...(error === undefined ? [] : [error]), ...errors];
	return {
		allowed,
		...(denied ? { denied } : {}),
		...(reason === '' ? {} : { reason }),
		...(all.length === 0 ? {} : { evaluationError: all.join('; ') }),
	};
}

function attributesOf(
	spec: Pick<SubjectAccessReviewSpec, 'resourceAttributes' | 'nonResourceAttributes'>,
	user: UserInfo,
): { readonly attributes: Attributes; readonly errors: readonly string[] } {
	const asked = spec.resourceAttributes;
	if (asked === undefined || asked === null) {
		const { verb = '', path = '' } = spec.nonResourceAttributes ?? {};
		return { attributes: { type: 'path', user, verb, path }, errors: [] };
	}
	const { verb = '', group = '', resource = '', subresource = '', namespace = '', name = '' } = asked;
	// A question about no version is one about all of them.
	const version = asked.version === undefined || asked.version === '' ? '*' : asked.version;
	const { pinned, selectors, errors } = reviewSelectors(asked);
	return {
		attributes: { type: 'resource', user, verb, group, version, resource, subresource, namespace, name, pinned, selectors },
		errors,
	};
}
