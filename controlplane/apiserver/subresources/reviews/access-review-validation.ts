/** What is wrong with an access review, in upstream's words (pkg/apis/authorization/validation). Pure. */
import { invalidValue, required } from '../../../../api/field-error.ts';
import type {
	NonResourceAttributes,
	ObjectMeta,
	ResourceAttributes,
	SelfSubjectAccessReview,
	StatusCause,
	SubjectAccessReview,
	SubjectAccessReviewSpec,
} from '../../../../api/gen/types.ts';
import type { Errors } from '../../../../api/validation/rule.ts';
import { labelRequirement, operatorValues } from '../../../../api/validation/selectors.ts';

/** @param namespace of a local review, '' for others; @param needsUser true unless the review is about the caller */
export function reviewErrors(
	review: SubjectAccessReview | SelfSubjectAccessReview,
	namespace: string,
	needsUser: boolean,
): readonly StatusCause[] {
	const out: Errors = [];
	const add = (field: string, value: unknown, detail: string): unknown => out.push(invalidValue(field, value, detail));
	const { resourceAttributes: resource, nonResourceAttributes: path } = review.spec;
	const spec: SubjectAccessReviewSpec = review.spec;
	if (resource !== undefined && path !== undefined)
		add('spec.nonResourceAttributes', shown(path), 'cannot be specified in combination with resourceAttributes');
	if (resource === undefined && path === undefined)
		add('spec.resourceAttributes', null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified');
	if (needsUser && (spec.user ?? '') === '' && (spec.groups ?? []).length === 0)
		add('spec.user', '', 'at least one of user or group must be specified');
	selectorErrors(out, resource);
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
	return out;
}

/** An operator that nobody knows is no error: newer clients may know more. */
function selectorErrors(out: Errors, resource: ResourceAttributes | undefined): void {
	for (const kind of ['fieldSelector', 'labelSelector'] as const) {
		const selector = resource?.[kind];
		if (selector === undefined) continue;
		const field = `spec.resourceAttributes.${kind}`;
		const { rawSelector = '', requirements = [] } = selector;
		if (rawSelector !== '' && requirements.length > 0)
			out.push(invalidValue(`${field}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'));
		if (rawSelector === '' && requirements.length === 0)
			out.push(required(`${field}.requirements`, `when ${field} is specified, requirements or rawSelector is required`));
		for (const [i, one] of requirements.entries()) {
			const at = `${field}.requirements[${i}]`;
			if (kind === 'labelSelector') {
				labelRequirement(out, at, one, 'allowed');
				continue;
			}
			if (one.key === '') out.push(required(`${at}.key`, 'must be specified'));
			operatorValues(out, at, one);
		}
	}
}

/** Metadata with the namespace of the request where it stands. */
function placed({ name, generateName, ...others }: ObjectMeta, namespace: string): object {
	return { name, generateName, namespace, ...others };
}

/** As Go prints its own struct, which has no names of JSON. */
function shown({ path = '', verb = '' }: NonResourceAttributes): object {
	return { Path: path, Verb: verb };
}
