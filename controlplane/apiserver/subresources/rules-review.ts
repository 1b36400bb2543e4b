/** selfsubjectrulesreviews: everything the caller may do in a namespace, for `kubectl auth can-i --list`. */
import type { PolicyRule, SelfSubjectRulesReview } from '../../../api/gen/types.ts';
import { badRequest } from '../../../api/status.ts';
import { goErrors, missingRole, type RbacAuthorizer } from '../authz/rbac.ts';
import type { BodyCodec, SubresourceHandler, UserInfo } from '../contracts.ts';

const KIND = { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectRulesReview' };

/** @param unlisted why authorizers beside the roles' cannot list what they allow the user */
export function rulesReview(codec: BodyCodec, rbac: RbacAuthorizer, unlisted: (user: UserInfo) => readonly string[]): SubresourceHandler {
	return {
		group: KIND.group,
		resource: 'selfsubjectrulesreviews',
		subresource: '',
		async handle(request) {
			const review = await codec.read<SelfSubjectRulesReview>(request, KIND);
			const namespace = (review as Partial<SelfSubjectRulesReview>).spec?.namespace ?? '';
			if (namespace === '') throw badRequest('no namespace on request');
			const own = rbac.rulesFor(request.user, namespace);
			const beside = unlisted(request.user);
			const errors = [...new Set([...beside, ...own.missing.map(missingRole)])];
			const { rules } = own;
			return codec.write(request, 201, {
				kind: KIND.kind,
				apiVersion: `${KIND.group}/${KIND.version}`,
				metadata: {},
				spec: {},
				status: {
					resourceRules: rules.filter((r) => (r.resources ?? []).length > 0).map(resourceRule),
					nonResourceRules: rules
						.filter((r) => (r.nonResourceURLs ?? []).length > 0)
						.map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
					// A role that is not there allows nothing that would be missing here.
					incomplete: beside.length > 0,
					...(errors.length === 0 ? {} : { evaluationError: goErrors(errors) }),
				},
			});
		},
	};
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object {
	return { verbs, apiGroups, resources, ...((resourceNames ?? []).length === 0 ? {} : { resourceNames }) };
}
