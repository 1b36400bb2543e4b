/** The request as AdmissionReviews and expressions show it, without its objects. Pure. */
import type { AdmissionAttributes } from '../../contracts.ts';
import { namespaceName } from './selectors.ts';
import { kindNameOf, requestedOf, type Named } from './versions.ts';

export function requestFields(attributes: AdmissionAttributes, named: Named): Record<string, unknown> {
	const { operation, subresource, name, user, dryRun, options } = attributes;
	const requested = requestedOf(attributes);
	const namespace = namespaceName(attributes);
	const resourceOf = ({ group, version, resource }: Named): object => ({ group, version, resource });
	return {
		kind: kindNameOf(named),
		resource: resourceOf(named),
		...(subresource === '' ? {} : { subResource: subresource }),
		requestKind: kindNameOf(requested),
		requestResource: resourceOf(requested),
		...(subresource === '' ? {} : { requestSubResource: subresource }),
		...(name === '' ? {} : { name }),
		...(namespace === '' ? {} : { namespace }),
		operation,
		userInfo: {
			username: user.name,
			...(user.uid === '' ? {} : { uid: user.uid }),
			groups: user.groups,
			...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
		},
		dryRun,
		options: Object.keys(options).length === 0 ? null : options,
	};
}
