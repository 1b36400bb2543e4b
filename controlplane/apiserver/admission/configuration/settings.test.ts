import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../../../base/clock.ts';
import { choosePlugins } from '../plugin-choice.ts';
import { admissionSettings, type AdmissionSettings } from './settings.ts';

const KUBECONFIG = `
clusters: [{name: c, cluster: {server: "https://images.example/review"}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
users: [{name: u, user: {token: t}}]
`;
const HEAD = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';
const ALL = choosePlugins(['EventRateLimit', 'ImagePolicyWebhook', 'PodTolerationRestriction', 'PodNodeSelector'], []);

/** Settings from a file of this text beside a kubeconfig and `other`; FOLDER in them is where they are. */
async function read(text: string, other = '', choice = choosePlugins([], [])): Promise<AdmissionSettings> {
	const folder = await mkdtemp(join(tmpdir(), 'admission-'));
	try {
		await writeFile(join(folder, 'kubeconfig'), KUBECONFIG);
		await writeFile(join(folder, 'other.yaml'), other.replaceAll('FOLDER', folder));
		await writeFile(join(folder, 'a.yaml'), text.replaceAll('FOLDER', folder));
		return await admissionSettings(join(folder, 'a.yaml'), choice);
	} finally {
		await rm(folder, { recursive: true });
	}
}

/** A file with the configuration of one plugin. */
const one = (name: string, configuration: object): string => `${HEAD}plugins: [${JSON.stringify({ name, configuration })}]`;
const limits = (...all: readonly object[]): object => ({
	apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1',
	kind: 'Configuration',
	limits: all,
});

test('settings of all plugins, beside each other and in files of their own', async (t) => {
	const text = `${HEAD}plugins:
- name: EventRateLimit
  configuration: ${JSON.stringify(limits({ type: 'Namespace', qps: 5, burst: 10 }, { type: 'Server', qps: 50, burst: 100, cacheSize: -1 }))}
- {name: ImagePolicyWebhook, path: other.yaml}
- name: PodTolerationRestriction
  configuration: {apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1, kind: Configuration, default: [{key: d, operator: Exists, foo: 1}]}
- {name: PodNodeSelector, configuration: {podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: "a=b"}}}
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: {enforce: baseline, enforce-version: v1.30}
    exemptions: {namespaces: [kube-system]}
- name: ResourceQuota
  configuration: {apiVersion: apiserver.config.k8s.io/v1, kind: ResourceQuotaConfiguration, limitedResources: [{resource: pods, matchContains: [cpu]}]}
- name: ValidatingAdmissionWebhook
  configuration: {apiVersion: apiserver.config.k8s.io/v1, kind: WebhookAdmissionConfiguration, kubeConfigFile: FOLDER/kubeconfig}
`;
	const other = '{imagePolicy: {kubeConfigFile: FOLDER/kubeconfig, allowTTL: 50, denyTTL: -1, retryBackoff: 700, defaultAllow: true}}';
	const settings = await read(text, other, ALL);
	t.deepEqual(settings.eventLimits, [
		{ type: 'Namespace', qps: 5, burst: 10, cacheSize: 4096 },
		{ type: 'Server', qps: 50, burst: 100, cacheSize: 1 },
	]);
	t.like(settings.imagePolicy, { allowMs: 50_000, denyMs: 0, defaultAllow: true, retries: { initialMs: 700, attempts: 5 } });
	t.is(settings.imagePolicy?.target.url, 'https://images.example/review');
	t.deepEqual(settings.tolerations, { default: [{ key: 'd', operator: 'Exists' }], whitelist: [] });
	t.deepEqual(settings.nodeSelectors, { clusterDefaultNodeSelector: 'a=b' });
	const latest = { level: 'privileged', version: 'latest' };
	t.deepEqual(settings.podSecurity?.defaults, { enforce: { level: 'baseline', version: 'v1.30' }, warn: latest, audit: latest } as never);
	t.deepEqual(settings.podSecurity?.exemptions.namespaces, ['kube-system']);
	t.deepEqual(settings.limitedResources, [{ apiGroup: '', resource: 'pods', matchContains: ['cpu'], matchScopes: [] }]);
	t.is(settings.mutatingUsers, undefined);
	t.deepEqual(await settings.validatingUsers?.('hook.n.svc:443')?.headers(realClock), { authorization: 'Bearer t' });
});

test('a file of the time before AdmissionConfiguration; what does not run is not read', async (t) => {
	const old = await read('imagePolicy: {kubeConfigFile: FOLDER/kubeconfig}', '', choosePlugins(['ImagePolicyWebhook'], []));
	t.like(old.imagePolicy, { allowMs: 300_000, denyMs: 30_000, defaultAllow: false, retries: { initialMs: 500 } });
	t.is((await read(one('EventRateLimit', { anything: true }))).eventLimits, undefined);
	t.deepEqual((await admissionSettings('', choosePlugins([], []))).podSecurity, undefined);
});

const init = (name: string, why: string): string => `couldn't init admission plugin "${name}": ${why}`;
for (const [name, text, want] of [
	['another kind', 'apiVersion: v1\nkind: Pod', /is wrong: no kind "Pod" is registered for version "v1"/],
	['an unknown field', `${HEAD}plugin: []`, /is wrong: strict decoding error: unknown field "plugin"/],
	['no YAML', '{', /is not valid YAML/],
	[
		'a file that is not there',
		`${HEAD}plugins: [{name: PodSecurity, path: none.yaml}]`,
		/unable to read admission control configuration from .*none\.yaml/,
	],
	['a file that is no map', '[]', /a\.yaml" is wrong: Invalid value: \[\]: must be a map$/],
	['an empty file', '', /a\.yaml" is wrong: Invalid value: null: must be a map$/],
	['no limits', one('EventRateLimit', limits()), init('EventRateLimit', 'limits: Invalid value: []: must not be empty')],
	[
		'a limit of nothing',
		one('EventRateLimit', limits({ type: 'User', qps: 0, burst: -1, cacheSize: -2 })),
		init(
			'EventRateLimit',
			'[limits[0].burst: Invalid value: -1: must be positive, limits[0].qps: Invalid value: 0: must be positive, limits[0].cacheSize: Invalid value: -2: must not be negative]',
		),
	],
	[
		'a limit of another type',
		one('EventRateLimit', limits({ type: 'Pod', qps: 1, burst: 1 })),
		/limits\[0\]\.type: Unsupported value: "Pod": supported values: /,
	],
	[
		'images allowed for too long',
		one('ImagePolicyWebhook', { imagePolicy: { allowTTL: 1801 } }),
		init('ImagePolicyWebhook', 'valid value is between 1s and 30m0s, got 30m1s'),
	],
	[
		'a toleration that is none',
		one('PodTolerationRestriction', {
			apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
			kind: 'Configuration',
			whitelist: [{ key: 'a', operator: 'Is' }],
		}),
		/invalid config: \[podtolerationrestriction\.whitelist\[0\]\.operator: Unsupported value: "Is"/,
	],
	[
		'a toleration of another type',
		one('PodTolerationRestriction', {
			apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1',
			kind: 'Configuration',
			default: [{ key: 5 }],
		}),
		init('PodTolerationRestriction', 'json: cannot unmarshal number into Go struct field Toleration.key of type string'),
	],
	[
		'a level that is none',
		one('PodSecurity', {
			apiVersion: 'pod-security.admission.config.k8s.io/v1',
			kind: 'PodSecurityConfiguration',
			defaults: { enforce: 'tight', 'warn-version': '1' },
		}),
		init(
			'PodSecurity',
			'[defaults.enforce: Invalid value: "tight": must be one of privileged, baseline, restricted, defaults.warn-version: Invalid value: "1": must be "latest" or "v1.x"]',
		),
	],
	[
		'a field of PodSecurity that is none',
		one('PodSecurity', {
			apiVersion: 'pod-security.admission.config.k8s.io/v1',
			kind: 'PodSecurityConfiguration',
			exemption: {},
		}),
		init('PodSecurity', 'strict decoding error: unknown field "exemption"'),
	],
	[
		'a mode that is none',
		one('PodSecurity', {
			apiVersion: 'pod-security.admission.config.k8s.io/v1',
			kind: 'PodSecurityConfiguration',
			defaults: { enforced: 'restricted' },
		}),
		init('PodSecurity', 'strict decoding error: unknown field "defaults.enforced"'),
	],
	[
		'an exemption of what is none',
		one('PodSecurity', {
			apiVersion: 'pod-security.admission.config.k8s.io/v1',
			kind: 'PodSecurityConfiguration',
			exemptions: { namespace: ['a'] },
		}),
		init('PodSecurity', 'strict decoding error: unknown field "exemptions.namespace"'),
	],
	[
		'an exemption twice',
		one('PodSecurity', {
			apiVersion: 'pod-security.admission.config.k8s.io/v1',
			kind: 'PodSecurityConfiguration',
			exemptions: { usernames: ['a', 'a', ''] },
		}),
		init(
			'PodSecurity',
			'[exemptions.usernames[1]: Duplicate value: "a", exemptions.usernames[2]: Invalid value: "": username must not be empty]',
		),
	],
	[
		'a limited resource without a name',
		one('ResourceQuota', { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration', limitedResources: [{}] }),
		init('ResourceQuota', 'limitedResources[0].resource: Required value'),
	],
	[
		'a relative kubeconfig',
		one('MutatingAdmissionWebhook', {
			apiVersion: 'apiserver.config.k8s.io/v1',
			kind: 'WebhookAdmissionConfiguration',
			kubeConfigFile: 'k',
		}),
		init('MutatingAdmissionWebhook', 'kubeConfigFile: Invalid value: "k": must be an absolute file path'),
	],
	[
		'webhooks from files',
		one('MutatingAdmissionWebhook', {
			apiVersion: 'apiserver.config.k8s.io/v1',
			kind: 'WebhookAdmissionConfiguration',
			staticManifestsDir: '/m',
		}),
		init(
			'MutatingAdmissionWebhook',
			'staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled',
		),
	],
] as const)
	test(`settings are refused: ${name}`, async (t) => {
		const only = choosePlugins(
			ALL.enabled.filter((plugin) => text.includes(plugin)),
			[],
		);
		await t.throwsAsync(read(text, '', only), { message: want });
	});

test('plugins that need a configuration are refused without one', async (t) => {
	await t.throwsAsync(admissionSettings('', choosePlugins(['EventRateLimit'], [])), {
		message: init('EventRateLimit', 'limits: Invalid value: null: must not be empty'),
	});
	await t.throwsAsync(admissionSettings('', choosePlugins(['ImagePolicyWebhook'], [])), {
		message: init('ImagePolicyWebhook', 'no config specified'),
	});
});

test('a configuration that cannot be read is told by its code', async (t) => {
	const folder = await mkdtemp(join(tmpdir(), 'admission-'));
	t.teardown(() => rm(folder, { recursive: true }));
	const none = choosePlugins([], []);
	await t.throwsAsync(admissionSettings(join(folder, 'none'), none), { code: 'NotFound', message: /ENOENT/ });
	await t.throwsAsync(admissionSettings(folder, none), { code: 'InvalidArgument', message: /EISDIR/ });
});
