/** selfsubjectrulesreviews: everything the caller may do in a namespace, for `kubectl auth can-i --list`. */
import type { PolicyRule, SelfSubjectRulesReview } from '../../../../api/gen/types.ts';
import { badRequest } from '../../../../api/status.ts';
import type { Authorization } from '../../authz/authorizer.ts';
import { goErrors } from '../../authz/rbac.ts';
import type { SubresourceHandler } from '../../contracts.ts';
import type { BodyCodec } from '../../request/body-codec.ts';

const KIND = { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectRulesReview' };

export function rulesReview(codec: BodyCodec, authorization: Pick<Authorization, 'rulesFor'>): SubresourceHandler {
	return {
		group: KIND.group,
		resource: 'selfsubjectrulesreviews',
		subresource: '',
		async handle(request) {
			const review = await codec.read<SelfSubjectRulesReview>(request, KIND);
			const namespace = (review as Partial<SelfSubjectRulesReview>).spec?.namespace ?? '';
			if (namespace === '') throw badRequest('no namespace on request');
			const { rules, incomplete, errors } = authorization.rulesFor(request.user, namespace);
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
					incomplete,
					...(errors.length === 0 ? {} : { evaluationError: goErrors(errors) }),
				},
			});
		},
	};
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object {
	return { verbs, apiGroups, resources, ...((resourceNames ?? []).length === 0 ? {} : { resourceNames }) };
}
