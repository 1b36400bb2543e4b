/** Whether a flow schema's rules match a request: pure, as upstream's util/flowcontrol/rule.go. */
import type { FlowSchema, NonResourcePolicyRule, ResourcePolicyRule, Subject } from '../../../api/gen/types.ts';
import type { UserInfo } from '../contracts.ts';
import type { RequestInfo, ResourceInfo } from '../request/request-info.ts';

const ALL = '*';
const SERVICE_ACCOUNT = 'system:serviceaccount:';

export function matches(schema: FlowSchema, user: UserInfo, info: RequestInfo): boolean {
	for (const { subjects, resourceRules = [], nonResourceRules = [] } of schema.spec?.rules ?? []) {
		if (!subjects.some((subject) => isSubject(user, subject))) continue;
		if (info.type === 'resource' ? resourceRules.some((r) => allowsResource(r, info)) : nonResourceRules.some((r) => allowsPath(r, info)))
			return true;
	}
	return false;
}

function isSubject(user: UserInfo, { kind, user: named, group, serviceAccount }: Subject): boolean {
	switch (kind) {
		case 'User':
			return named !== undefined && (named.name === ALL || named.name === user.name);
		case 'Group':
			return group !== undefined && (group.name === ALL || user.groups.includes(group.name));
		case 'ServiceAccount': {
			if (serviceAccount === undefined) return false;
			const prefix = `${SERVICE_ACCOUNT}${serviceAccount.namespace}:`;
			return serviceAccount.name === ALL ? user.name.startsWith(prefix) : user.name === prefix + serviceAccount.name;
		}
	}
	return false;
}

function has(list: readonly string[], value: string): boolean {
	return list.includes(ALL) || list.includes(value);
}

function allowsResource(rule: ResourcePolicyRule, { verb, group, resource, subresource, namespace }: ResourceInfo): boolean {
	if (!has(rule.verbs, verb) || !has(rule.apiGroups, group)) return false;
	if (!has(rule.resources, subresource === '' ? resource : `${resource}/${subresource}`)) return false;
	return namespace === '' ? rule.clusterScope === true : has(rule.namespaces ?? [], namespace);
}

function allowsPath(rule: NonResourcePolicyRule, { verb, path }: { readonly verb: string; readonly path: string }): boolean {
	if (!has(rule.verbs, verb)) return false;
	return rule.nonResourceURLs.some((url) => {
		if (url === ALL || url === path) return true;
		const prefix = url.endsWith('*') ? url.slice(0, -1) : url;
		return path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
	});
}
