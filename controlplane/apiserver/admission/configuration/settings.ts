/** What admission plugins are told beside their names: upstream's --admission-control-config-file, read and checked. */
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readYaml } from '../../../../base/parse-yaml.ts';
import { AppError, messageOf, type ErrorCode } from '../../../../base/errors.ts';
import type { WebhookUsers } from '../../webhook/users.ts';
import type { EventLimit } from '../event-rate-limit.ts';
import type { ImagePolicyOptions } from '../pods/image-policy.ts';
import type { LimitedResource } from '../quota/limited-resources.ts';
import { isChosen, type PluginChoice } from '../plugin-choice.ts';
import type { Exemptions } from '../pod-security/exemptions.ts';
import type { Defaults } from '../pod-security/policy.ts';
import type { TolerationSeconds } from '../pods/default-toleration-seconds.ts';
import type { ClusterTolerations } from '../pods/pod-tolerations.ts';
import { eventLimits } from './event-limits.ts';
import { imagePolicyOptions } from './image-policy-options.ts';
import { Shape } from '../../../../base/shape.ts';
import { clusterTolerations, limitedResources, nodeSelectors, podSecurity, webhookUsers } from './plugin-settings.ts';

export interface AdmissionSettings {
	readonly eventLimits?: readonly EventLimit[] | undefined;
	readonly imagePolicy?: ImagePolicyOptions | undefined;
	readonly tolerations?: ClusterTolerations | undefined;
	/** By namespace; "clusterDefaultNodeSelector" for those without an annotation. */
	readonly nodeSelectors?: Readonly<Record<string, string>> | undefined;
	readonly podSecurity?: { readonly defaults: Defaults; readonly exemptions: Exemptions } | undefined;
	/** What DefaultTolerationSeconds gives pods; from flags of its own. */
	readonly tolerationSeconds?: TolerationSeconds | undefined;
	readonly limitedResources?: readonly LimitedResource[] | undefined;
	/** As whom webhooks are called. */
	readonly mutatingUsers?: WebhookUsers | undefined;
	readonly validatingUsers?: WebhookUsers | undefined;
}

/** Each plugin's part, made only where the plugin runs. */
const PLUGINS: Readonly<Record<string, (value: unknown) => AdmissionSettings | Promise<AdmissionSettings>>> = {
	EventRateLimit: (value) => ({ eventLimits: eventLimits(value) }),
	ImagePolicyWebhook: async (value) => ({ imagePolicy: await imagePolicyOptions(value) }),
	PodTolerationRestriction: (value) => ({ tolerations: clusterTolerations(value) }),
	PodNodeSelector: (value) => ({ nodeSelectors: nodeSelectors(value) }),
	PodSecurity: (value) => ({ podSecurity: podSecurity(value) }),
	ResourceQuota: (value) => ({ limitedResources: limitedResources(value) }),
	MutatingAdmissionWebhook: async (value) => ({ mutatingUsers: await webhookUsers(value) }),
	ValidatingAdmissionWebhook: async (value) => ({ validatingUsers: await webhookUsers(value) }),
};

const VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1'];
/** Plugins whose own files were given to the flag before there was an AdmissionConfiguration, by the field such a file has. */
const LEGACY = { imagePolicy: 'ImagePolicyWebhook', podNodeSelectorPluginConfig: 'PodNodeSelector' } as const;

/**
 * The settings of all plugins that run; some cannot run without any.
 * @param path '' for none
 * AppError InvalidArgument, NotFound, PermissionDenied.
 */
export async function admissionSettings(path: string, choice: PluginChoice): Promise<AdmissionSettings> {
	const configured = path === '' ? new Map<string, unknown>() : await pluginsOf(path);
	let settings: AdmissionSettings = {};
	for (const [name, read] of Object.entries(PLUGINS)) {
		if (!isChosen(name, choice)) continue;
		try {
			settings = { ...settings, ...(await read(configured.get(name))) };
		} catch (cause) {
			throw new AppError('InvalidArgument', `couldn't init admission plugin "${name}": ${messageOf(cause)}`, { cause });
		}
	}
	return settings;
}

/** The first configuration of each plugin. */
async function pluginsOf(path: string): Promise<ReadonlyMap<string, unknown>> {
	const given = await document(path);
	const legacy = Object.entries(LEGACY);
	const found = new Map<string, unknown>();
	try {
		const file = new Shape(given, '');
		if (!file.has('apiVersion') && legacy.some(([field]) => file.has(field))) return new Map(legacy.map(([, name]) => [name, file.value]));
		file.kind(VERSIONS, 'AdmissionConfiguration');
		file.only('apiVersion', 'kind', 'plugins');
		for (const plugin of file.list('plugins')) {
			plugin.only('name', 'path', 'configuration');
			const [name, other] = [plugin.text('name'), plugin.text('path')];
			if (found.has(name)) continue;
			if (plugin.has('configuration')) found.set(name, plugin.value['configuration']);
			else if (other !== '') found.set(name, await document(resolve(dirname(path), other)));
		}
	} catch (cause) {
		throw new AppError('InvalidArgument', `The admission configuration "${path}" is wrong: ${messageOf(cause)}`, { cause });
	}
	return found;
}

/** By what the system says; a folder, or a path through a file, is a wrong path. */
const UNREADABLE: ReadonlyMap<string, ErrorCode> = new Map([
	['ENOENT', 'NotFound'],
	['EACCES', 'PermissionDenied'],
	['EPERM', 'PermissionDenied'],
]);

async function document(path: string): Promise<unknown> {
	let text: string;
	try {
		text = await readFile(path, 'utf8');
	} catch (cause) {
		const why = `unable to read admission control configuration from ${JSON.stringify(path)} [${messageOf(cause)}]`;
		throw new AppError(UNREADABLE.get((cause as NodeJS.ErrnoException).code ?? '') ?? 'InvalidArgument', why, { cause });
	}
	try {
		return readYaml(text);
	} catch (cause) {
		throw new AppError('InvalidArgument', `The admission configuration "${path}" is not valid YAML: ${messageOf(cause)}`, { cause });
	}
}
