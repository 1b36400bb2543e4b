/** In whose name a kubeconfig's user asks. Pure. */
import { headerKey } from '../wire/http/header-key.ts';
import type { KubeconfigUser } from './kubeconfig.ts';

/** Headers, named as HTTP/2 wants them. Without a name nothing else counts, as for client-go. */
export function impersonation(user: KubeconfigUser): Record<string, string | string[]> {
	const { as: name = '', 'as-uid': uid = '', 'as-groups': groups, 'as-user-extra': extra } = user;
	if (name === '') return {};
	const headers: Record<string, string | string[]> = { 'impersonate-user': name };
	if (uid !== '') headers['impersonate-uid'] = uid;
	if ((groups ?? []).length > 0) headers['impersonate-group'] = [...(groups ?? [])];
	for (const [key, values] of Object.entries(extra ?? {}))
		if ((values ?? []).length > 0) headers[`impersonate-extra-${headerKey(key).toLowerCase()}`] = [...(values ?? [])];
	return headers;
}
