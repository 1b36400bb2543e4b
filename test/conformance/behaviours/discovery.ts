/** [sig-api-machinery] Discovery, AggregatedDiscovery, server version, Table transformation. */
import { ApisApi, VersionApi } from '@kubernetes/client-node';
import { defined, definition, version } from '../crd.ts';
import { eventually } from '../../tools/eventually.ts';
import { conformance, type World } from '../suite.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Aggregated {
	readonly kind: string;
	readonly items: readonly {
		readonly metadata: { readonly name?: string };
		readonly versions: readonly {
			readonly version: string;
			readonly resources: readonly {
				readonly resource: string;
				readonly responseKind: { readonly kind: string };
				readonly verbs: string[];
			}[];
		}[];
	}[];
}

/** Groups of tests that run beside these. */
const OF_TESTS = /(^|\.)(kubeling\.test|wardle\.example\.com)$/;

const aggregated = async ({ raw }: World, path: string, accept = AGGREGATED): Promise<Aggregated> =>
	(await raw('GET', path, { headers: { accept } })).json<Aggregated>();

conformance('[sig-api-machinery] server version should find the server version [Conformance]', async ({ t, api }) => {
	const { major, minor, gitVersion } = await api(VersionApi).getCode();
	t.regex(major, /^[1-9]\d*$/);
	t.regex(minor, /^\d+\+?$/);
	t.regex(gitVersion, new RegExp(`^v${major}\\.${minor}\\.`));
});

conformance('[sig-api-machinery] Discovery should validate PreferredVersion for each APIGroup [Conformance]', async ({ t, api, raw }) => {
	const { groups } = await api(ApisApi).getAPIVersions();
	t.true(groups.length > 15);
	for (const { name } of groups) {
		const answer = await raw('GET', `/apis/${name}`);
		if (answer.code !== 200 && OF_TESTS.test(name)) continue; // of one that ends meanwhile
		const group = answer.json<{ preferredVersion: { groupVersion: string }; versions: { groupVersion: string }[] }>();
		t.regex(group.preferredVersion.groupVersion, new RegExp(`^${name}/`));
		t.true(group.versions.some((v) => v.groupVersion === group.preferredVersion.groupVersion));
	}
});

conformance(
	'[sig-api-machinery] Discovery should locate the groupVersion and a resource within each APIGroup [Conformance]',
	async ({ t, api, raw }) => {
		const { groups } = await api(ApisApi).getAPIVersions();
		for (const [group, groupVersion, resource] of [
			['admissionregistration.k8s.io', 'v1', 'validatingwebhookconfigurations'],
			['apiextensions.k8s.io', 'v1', 'customresourcedefinitions'],
			['apiregistration.k8s.io', 'v1', 'apiservices'],
			['apps', 'v1', 'deployments'],
			['authentication.k8s.io', 'v1', 'tokenreviews'],
			['authorization.k8s.io', 'v1', 'selfsubjectaccessreviews'],
			['autoscaling', 'v1', 'horizontalpodautoscalers'],
			['autoscaling', 'v2', 'horizontalpodautoscalers'],
			['batch', 'v1', 'jobs'],
			['certificates.k8s.io', 'v1', 'certificatesigningrequests'],
			['coordination.k8s.io', 'v1', 'leases'],
			['discovery.k8s.io', 'v1', 'endpointslices'],
			['events.k8s.io', 'v1', 'events'],
			['flowcontrol.apiserver.k8s.io', 'v1', 'flowschemas'],
			['networking.k8s.io', 'v1', 'ingresses'],
			['node.k8s.io', 'v1', 'runtimeclasses'],
			['policy', 'v1', 'poddisruptionbudgets'],
			['rbac.authorization.k8s.io', 'v1', 'clusterroles'],
			['resource.k8s.io', 'v1', 'resourceclaims'],
			['scheduling.k8s.io', 'v1', 'priorityclasses'],
			['storage.k8s.io', 'v1', 'csinodes'],
		] as const) {
			t.true(
				groups.find((g) => g.name === group)?.versions.some((v) => v.version === groupVersion),
				`${group}/${groupVersion}`,
			);
			const list = (await raw('GET', `/apis/${group}/${groupVersion}`)).json<{ groupVersion: string; resources: { name: string }[] }>();
			t.is(list.groupVersion, `${group}/${groupVersion}`);
			t.true(
				list.resources.some((r) => r.name === resource),
				`${group}/${groupVersion} ${resource}`,
			);
		}
		const core = (await raw('GET', '/api/v1')).json<{ resources: { name: string }[] }>();
		t.true(core.resources.some((r) => r.name === 'namespaces'));
	},
);

conformance('[sig-api-machinery] AggregatedDiscovery should support aggregated discovery interface [Conformance]', async (world) => {
	const groups = await aggregated(world, '/apis');
	for (const [group, groupVersion, resource] of [
		['admissionregistration.k8s.io', 'v1', 'mutatingwebhookconfigurations'],
		['apps', 'v1', 'statefulsets'],
		['batch', 'v1', 'cronjobs'],
		['networking.k8s.io', 'v1', 'networkpolicies'],
		['storage.k8s.io', 'v1', 'volumeattachments'],
	] as const) {
		const versions = groups.items.find((item) => item.metadata.name === group)?.versions;
		const found = versions?.find((v) => v.version === groupVersion)?.resources.find((r) => r.resource === resource);
		world.t.truthy(found, `${group}/${groupVersion} ${resource}`);
		world.t.true(found?.verbs.includes('watch'));
	}
	const core = await aggregated(world, '/api');
	world.t.true(core.items[0]?.versions[0]?.resources.some((r) => r.resource === 'pods' && r.responseKind.kind === 'Pod'));
});

conformance(
	'[sig-api-machinery] AggregatedDiscovery should support raw aggregated discovery endpoint Accept headers [Conformance]',
	async (world) => {
		const { t, raw } = world;
		for (const path of ['/api', '/apis']) {
			const answer = await raw('GET', path, { headers: { accept: AGGREGATED } });
			t.is(answer.code, 200);
			t.is(answer.headers['content-type'], AGGREGATED);
			t.is(answer.json<Aggregated>().kind, 'APIGroupDiscoveryList');
			const both = await raw('GET', path, { headers: { accept: `${AGGREGATED},application/json` } });
			t.is(both.json<Aggregated>().kind, 'APIGroupDiscoveryList');
			const plain = await raw('GET', path, { headers: { accept: 'application/json' } });
			t.is(plain.json<Aggregated>().kind, path === '/api' ? 'APIVersions' : 'APIGroupList');
		}
	},
);

conformance(
	'[sig-api-machinery] AggregatedDiscovery should support raw aggregated discovery request for CRDs [Conformance]',
	async (world) => {
		const custom = await defined(world, definition(world));
		const found = await eventually('the custom resource is in the aggregated document', async () => {
			const { items } = await aggregated(world, '/apis');
			return items.find((item) => item.metadata.name === custom.group)?.versions[0]?.resources[0];
		});
		world.t.deepEqual([found.resource, found.responseKind.kind], [custom.plural, custom.kind]);
	},
);

conformance(
	'[sig-api-machinery] AggregatedDiscovery should support aggregated discovery interface for CRDs [Conformance]',
	async (world) => {
		const { t, k } = world;
		const custom = await defined(world, definition(world, [version('v1'), version('v2')]));
		const found = await eventually('both versions are in the aggregated document', async () => {
			const { items } = await aggregated(world, '/apis');
			const group = items.find((item) => item.metadata.name === custom.group);
			return group?.versions.length === 2 ? group : undefined;
		});
		t.deepEqual(
			found.versions.map((v) => [v.version, v.resources.map((r) => r.resource)]),
			[
				['v2', [custom.plural]],
				['v1', [custom.plural]],
			],
		);
		// It fails while another test's aggregated group cannot be reached.
		await eventually('kubectl lists it', async () => {
			const { stdout } = await k.run(['api-resources', `--api-group=${custom.group}`, '--no-headers']);
			return new RegExp(`${custom.plural}.*${custom.kind}`).test(stdout);
		});
	},
);

conformance(
	'[sig-api-machinery] Servers with support for Table transformation should return a 406 for a backend which does not implement metadata [Conformance]',
	async ({ t, raw }) => {
		const answer = await raw('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
			headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
			body: {
				apiVersion: 'authorization.k8s.io/v1',
				kind: 'SelfSubjectAccessReview',
				spec: { resourceAttributes: { namespace: 'default', verb: 'get', resource: 'pods' } },
			},
		});
		t.is(answer.code, 406);
		t.is(answer.json<{ reason: string }>().reason, 'NotAcceptable');
	},
);
