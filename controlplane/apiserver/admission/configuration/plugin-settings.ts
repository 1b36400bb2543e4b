/** The configurations of single plugins, each of its own kind, as upstream reads and checks them. */
import { isAbsolute } from 'node:path';
import type { ScopedResourceSelectorRequirement, Toleration } from '../../../../api/gen/types.ts';
import { duplicate, fieldForbidden, invalidValue, required, type FieldError } from '../../../../api/field-error.ts';
import { dnsLabel, dnsSubdomain } from '../../../../api/validation/names.ts';
import { tolerations } from '../../../../api/validation/pod/scheduling.ts';
import { AppError } from '../../../../base/errors.ts';
import { readWebhookUsers, type WebhookUsers } from '../../webhook/users.ts';
import { tolerationOf } from '../pods/given-tolerations.ts';
import type { LimitedResource } from '../quota/limited-resources.ts';
import type { Level } from '../pod-security/check.ts';
import type { Exemptions } from '../pod-security/exemptions.ts';
import { levelFault, MODES, versionFault, type Defaults, type LevelVersion } from '../pod-security/policy.ts';
import type { ClusterTolerations } from '../pods/pod-tolerations.ts';
import { insist } from './faults.ts';
import { Shape } from '../../../../base/shape.ts';

export function clusterTolerations(value: unknown): ClusterTolerations | undefined {
	if (value === undefined) return undefined;
	const given = new Shape(value, '');
	given.kind(['podtolerationrestriction.admission.k8s.io/v1alpha1'], 'Configuration');
	const faults: FieldError[] = [];
	const read = (field: 'default' | 'whitelist'): readonly Toleration[] => {
		const list = given.list(field).map(({ value: one }) => tolerationOf(one));
		tolerations(faults, `podtolerationrestriction.${field}`, list);
		return list;
	};
	const both = { default: read('default'), whitelist: read('whitelist') };
	const texts = faults.map(({ field, message }) => `${field}: ${message}`);
	if (texts.length > 0) throw new AppError('InvalidArgument', `invalid config: [${texts.join(' ')}]`);
	return both;
}

/** The file of PodNodeSelector has no kind: {podNodeSelectorPluginConfig: {NAMESPACE: "label=value,…"}}. */
export function nodeSelectors(value: unknown): Readonly<Record<string, string>> | undefined {
	if (value === undefined) return undefined;
	const given = new Shape(value, '').map('podNodeSelectorPluginConfig');
	return Object.fromEntries(Object.keys(given.value).map((namespace) => [namespace, given.text(namespace)]));
}

export function podSecurity(value: unknown): { readonly defaults: Defaults; readonly exemptions: Exemptions } | undefined {
	if (value === undefined) return undefined;
	const given = new Shape(value, '');
	const versions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `pod-security.admission.config.k8s.io/${version}`);
	given.kind(versions, 'PodSecurityConfiguration');
	given.only('apiVersion', 'kind', 'defaults', 'exemptions');
	const faults: FieldError[] = [];
	const [modes, exempt] = [given.map('defaults'), given.map('exemptions')];
	modes.only(...MODES.flatMap((mode) => [mode, `${mode}-version`]));
	exempt.only('namespaces', 'runtimeClasses', 'usernames');
	const read = (mode: keyof Defaults): LevelVersion => {
		const level = modes.text(mode) === '' ? 'privileged' : modes.text(mode);
		const version = modes.text(`${mode}-version`) === '' ? 'latest' : modes.text(`${mode}-version`);
		const [wrongLevel, wrongVersion] = [levelFault(level), versionFault(version)];
		if (wrongLevel !== undefined) faults.push(invalidValue(`defaults.${mode}`, level, wrongLevel));
		if (wrongVersion !== undefined) faults.push(invalidValue(`defaults.${mode}-version`, version, wrongVersion));
		return { level: level as Level, version };
	};
	const defaults = Object.fromEntries(MODES.map((mode) => [mode, read(mode)])) as unknown as Defaults;
	const names = (field: keyof Exemptions, wrong: (name: string) => readonly string[]): readonly string[] => {
		const all = exempt.texts(field);
		for (const [i, name] of all.entries()) {
			const at = `exemptions.${field}[${i}]`;
			const why = wrong(name);
			if (why.length > 0) faults.push(invalidValue(at, name, why.join(', ')));
			else if (all.indexOf(name) < i) faults.push(duplicate(at, name));
		}
		return all;
	};
	const exemptions = {
		namespaces: names('namespaces', dnsLabel),
		runtimeClasses: names('runtimeClasses', dnsSubdomain),
		usernames: names('usernames', (name) => (name === '' ? ['username must not be empty'] : [])),
	};
	insist(faults);
	return { defaults, exemptions };
}

export function limitedResources(value: unknown): readonly LimitedResource[] | undefined {
	if (value === undefined) return undefined;
	const given = new Shape(value, '');
	if (given.text('kind') === 'Configuration')
		given.kind(['resourcequota.admission.k8s.io/v1beta1', 'resourcequota.admission.k8s.io/v1alpha1'], 'Configuration');
	else given.kind(['apiserver.config.k8s.io/v1'], 'ResourceQuotaConfiguration');
	given.only('apiVersion', 'kind', 'limitedResources');
	const faults: FieldError[] = [];
	const limited = given.list('limitedResources').map((one, i): LimitedResource => {
		one.only('apiGroup', 'resource', 'matchContains', 'matchScopes');
		const resource = one.text('resource');
		if (resource === '') faults.push(required(`limitedResources[${i}].resource`));
		const matchScopes = one.list('matchScopes').map((scope): ScopedResourceSelectorRequirement => {
			scope.only('scopeName', 'operator', 'values');
			return { scopeName: scope.text('scopeName'), operator: scope.text('operator'), values: [...scope.texts('values')] };
		});
		return { apiGroup: one.text('apiGroup'), resource, matchContains: one.texts('matchContains'), matchScopes };
	});
	insist(faults);
	return limited;
}

export async function webhookUsers(value: unknown): Promise<WebhookUsers | undefined> {
	if (value === undefined) return undefined;
	const given = new Shape(value, '');
	given.kind(['apiserver.config.k8s.io/v1'], 'WebhookAdmissionConfiguration');
	given.only('apiVersion', 'kind', 'kubeConfigFile', 'staticManifestsDir');
	const path = given.text('kubeConfigFile');
	if (path !== '' && !isAbsolute(path)) insist([invalidValue('kubeConfigFile', path, 'must be an absolute file path')]);
	if (given.text('staticManifestsDir') !== '') {
		const why = 'staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled';
		insist([fieldForbidden('staticManifestsDir', why)]);
	}
	return path === '' ? undefined : readWebhookUsers(path);
}
