/** What is wrong with an access review, in upstream's words (pkg/apis/authorization/validation). Pure. */
import type {
	NonResourceAttributes,
	ObjectMeta,
	SelfSubjectAccessReview,
	StatusCause,
	SubjectAccessReview,
	SubjectAccessReviewSpec,
} from '../../../api/gen/types.ts';

/** @param namespace of a local review, '' for others; @param needsUser true unless the review is about the caller */
export function reviewErrors(
	review: SubjectAccessReview | SelfSubjectAccessReview,
	namespace: string,
	needsUser: boolean,
): readonly StatusCause[] {
	const causes: StatusCause[] = [];
	const add = (field: string, value: unknown, detail: string): void => {
		causes.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${JSON.stringify(value)}: ${detail}`, field });
	};
	const { resourceAttributes: resource, nonResourceAttributes: path } = review.spec;
	const spec: SubjectAccessReviewSpec = review.spec;
	if (resource !== undefined && path !== undefined)
		add('spec.nonResourceAttributes', shown(path), 'cannot be specified in combination with resourceAttributes');
	if (resource === undefined && path === undefined)
		add('spec.resourceAttributes', null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified');
	if (needsUser && (spec.user ?? '') === '' && (spec.groups ?? []).length === 0)
		add('spec.user', '', 'at least one of user or group must be specified');
	for (const kind of ['labelSelector', 'fieldSelector'] as const) {
		const selector = resource?.[kind];
		if (selector === undefined) continue;
		const field = `spec.resourceAttributes.${kind}`;
		const raw = selector.rawSelector ?? '';
		const requirements = selector.requirements ?? [];
		if (raw !== '' && requirements.length > 0) add(`${field}.rawSelector`, raw, 'may not specified at the same time as requirements');
		if (raw === '' && requirements.length === 0)
			causes.push({
				reason: 'FieldValueRequired',
				message: `Required value: when ${field} is specified, requirements or rawSelector is required`,
				field: `${field}.requirements`,
			});
	}
	const { namespace: ownNamespace, ...rest } = review.metadata ?? {};
	const { managedFields: _, ...meaning } = rest;
	const isLocal = namespace !== '';
	const given = !isLocal && ownNamespace !== undefined && ownNamespace !== '' ? { ...meaning, namespace: ownNamespace } : meaning;
	if (Object.values(given).some((value) => value !== undefined && value !== null))
		add(
			'metadata',
			isLocal ? placed(review.metadata ?? {}, namespace) : review.metadata,
			isLocal ? 'must be empty except for namespace' : 'must be empty',
		);
	if (isLocal && resource !== undefined && (resource.namespace ?? '') !== namespace)
		add('spec.resourceAttributes.namespace', resource.namespace ?? '', 'must match metadata.namespace');
	if (isLocal && path !== undefined) add('spec.nonResourceAttributes', shown(path), 'disallowed on this kind of request');
	return causes;
}

/** Metadata with the namespace of the request where it stands. */
function placed({ name, generateName, ...others }: ObjectMeta, namespace: string): object {
	return { name, generateName, namespace, ...others };
}

/** As Go prints its own struct, which has no names of JSON. */
function shown({ path = '', verb = '' }: NonResourceAttributes): object {
	return { Path: path, Verb: verb };
}
