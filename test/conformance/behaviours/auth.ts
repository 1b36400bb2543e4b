/** [sig-auth]: service accounts and their tokens, reviews, signing requests. */
import type { webcrypto } from 'node:crypto';
import {
	AuthenticationV1Api,
	AuthorizationV1Api,
	CertificatesV1Api,
	CoreV1Api,
	PatchStrategy,
	setHeaderOptions,
	type V1CertificateSigningRequest,
	type V1ServiceAccount,
} from '@kubernetes/client-node';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { x509 } from '../../../wire/tls/authority.ts';
import { eventually } from '../../tools/eventually.ts';
import { inPhase, sleeper } from '../pods.ts';
import { conformance, type World } from '../suite.ts';
import { Watching } from '../watching.ts';

const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

const account = ({ api, namespace }: World, name: string, more: Partial<V1ServiceAccount> = {}): Promise<V1ServiceAccount> =>
	api(CoreV1Api).createNamespacedServiceAccount({ namespace, body: { metadata: { name }, ...more } });

const token = async ({ api, namespace }: World, name: string, audiences: string[] = []): Promise<string> => {
	const body = { spec: { audiences, expirationSeconds: 3600 } };
	return (await api(CoreV1Api).createNamespacedServiceAccountToken({ namespace, name, body })).status?.token ?? '';
};

conformance('[sig-auth] ServiceAccounts should mount an API token into pods [Conformance]', async (world) => {
	const { api, namespace, image, k, t } = world;
	await account(world, 'mine');
	const body = sleeper(image, 'x', {}, { serviceAccountName: 'mine' });
	await api(CoreV1Api).createNamespacedPod({ namespace, body });
	await inPhase(world, 'x', 'Running');
	const read = (name: string): Promise<string> => k.must(['exec', 'x', '--', 'cat', `${MOUNT}/${name}`]);
	const root = await api(CoreV1Api).readNamespacedConfigMap({ namespace, name: 'kube-root-ca.crt' });
	t.is(await read('ca.crt'), root.data?.['ca.crt'] ?? '');
	t.is(await read('namespace'), namespace);
	const review = await api(AuthenticationV1Api).createTokenReview({ body: { spec: { token: await read('token') } } });
	t.deepEqual([review.status?.authenticated, review.status?.user?.username], [true, `system:serviceaccount:${namespace}:mine`]);
	const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
	t.deepEqual([...(review.status?.user?.groups ?? [])], groups);
	t.deepEqual([...(review.status?.user?.extra?.['authentication.kubernetes.io/pod-name'] ?? [])], ['x']);
});

conformance('[sig-auth] ServiceAccounts should allow opting out of API token automount [Conformance]', async (world) => {
	const { api, namespace, image, t } = world;
	await account(world, 'mount', { automountServiceAccountToken: true });
	await account(world, 'nomount', { automountServiceAccountToken: false });
	await account(world, 'unsaid');
	for (const [serviceAccountName, of, mounts] of [
		['unsaid', undefined, true],
		['unsaid', true, true],
		['unsaid', false, false],
		['mount', undefined, true],
		['mount', true, true],
		['mount', false, false],
		['nomount', undefined, false],
		['nomount', true, true],
		['nomount', false, false],
	] as const) {
		const name = `${serviceAccountName}-${of ?? 'unsaid'}`;
		const own = of === undefined ? {} : { automountServiceAccountToken: of };
		const { spec } = await api(CoreV1Api).createNamespacedPod({
			namespace,
			body: sleeper(image, name, {}, { serviceAccountName, nodeSelector: { none: 'none' }, ...own }),
		});
		t.is(spec?.containers[0]?.volumeMounts?.some((m) => m.mountPath === MOUNT) ?? false, mounts, name);
	}
});

conformance('[sig-auth] ServiceAccounts should mount projected service account token [Conformance]', async (world) => {
	const { api, namespace, image, k, t } = world;
	await api(CoreV1Api).createNamespacedPod({
		namespace,
		body: sleeper(
			image,
			'x',
			{},
			{
				containers: [{ name: 'c', image, command: ['sleep', '3600'], volumeMounts: [{ name: 'token', mountPath: '/run/projected' }] }],
				volumes: [
					{
						name: 'token',
						projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3600, audience: 'somebody' } }] },
					},
				],
			},
		),
	});
	await inPhase(world, 'x', 'Running');
	const text = await k.must(['exec', 'x', '--', 'cat', '/run/projected/token']);
	const claims = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()) as {
		aud: string[];
		sub: string;
		'kubernetes.io': { pod: { name: string } };
	};
	t.deepEqual(
		[claims.aud, claims.sub, claims['kubernetes.io'].pod.name],
		[['somebody'], `system:serviceaccount:${namespace}:default`, 'x'],
	);
	const review = await api(AuthenticationV1Api).createTokenReview({ body: { spec: { token: text, audiences: ['somebody'] } } });
	t.true(review.status?.authenticated);
});

conformance('[sig-auth] ServiceAccounts should run through the lifecycle of a ServiceAccount [Conformance]', async (world) => {
	const { api, namespace, t } = world;
	const core = api(CoreV1Api);
	const labelSelector = `conformance=${namespace}`;
	const watching = await Watching.start<V1ServiceAccount>(world, `/api/v1/namespaces/${namespace}/serviceaccounts`, { labelSelector });
	await account(world, 'x', { metadata: { name: 'x', labels: { conformance: namespace } }, automountServiceAccountToken: true });
	t.is((await watching.next('ADDED')).object.metadata?.name, 'x');
	await core.patchNamespacedServiceAccount({ namespace, name: 'x', body: { automountServiceAccountToken: false } }, merge);
	t.is((await watching.next('MODIFIED')).object.automountServiceAccountToken, false);
	t.is((await core.listServiceAccountForAllNamespaces({ labelSelector })).items.length, 1);
	await core.deleteCollectionNamespacedServiceAccount({ namespace, labelSelector });
	t.is((await watching.next('DELETED')).object.metadata?.name, 'x');
});

conformance('[sig-auth] ServiceAccounts should update a ServiceAccount [Conformance]', async (world) => {
	const { api, namespace, t } = world;
	const core = api(CoreV1Api);
	await account(world, 'x', { automountServiceAccountToken: true });
	const updated = await eventually('the account is updated', async () => {
		const body = await core.readNamespacedServiceAccount({ namespace, name: 'x' });
		body.automountServiceAccountToken = false;
		return core.replaceNamespacedServiceAccount({ namespace, name: 'x', body }).catch(() => undefined);
	});
	t.is(updated.automountServiceAccountToken, false);
});

conformance(
	'[sig-auth] ServiceAccounts should guarantee kube-root-ca.crt exist in any namespace [Conformance]',
	async ({ api, namespace, t }) => {
		const core = api(CoreV1Api);
		const name = 'kube-root-ca.crt';
		const find = async (): Promise<string | undefined> => {
			const { items } = await core.listNamespacedConfigMap({ namespace });
			return items.find((m) => m.metadata?.name === name)?.data?.['ca.crt'];
		};
		const text = await eventually('it is there', find);
		t.regex(text, /^-----BEGIN CERTIFICATE-----/);
		await core.deleteNamespacedConfigMap({ namespace, name });
		await eventually('it is there again', find);
		await core.patchNamespacedConfigMap({ namespace, name, body: { data: { 'ca.crt': '' } } }, merge);
		await eventually('it is as it was', async () => (await find()) === text);
	},
);

conformance(
	'[sig-auth] ServiceAccounts should create a serviceAccountToken and ensure a successful TokenReview [Conformance]',
	async (world) => {
		const { api, namespace, t } = world;
		const { metadata } = await account(world, 'x');
		const { status } = await api(AuthenticationV1Api).createTokenReview({ body: { spec: { token: await token(world, 'x') } } });
		t.deepEqual(
			[status?.authenticated, status?.user?.username, status?.user?.uid, status?.error],
			[true, `system:serviceaccount:${namespace}:x`, metadata?.uid, undefined],
		);
	},
);

conformance(
	'[sig-auth] ServiceAccounts ServiceAccountIssuerDiscovery should support OIDC discovery of service account issuer [Conformance]',
	async (world) => {
		const { raw, t, namespace } = world;
		await account(world, 'x');
		const found = (await raw('GET', '/.well-known/openid-configuration')).json<{
			issuer: string;
			jwks_uri: string;
			response_types_supported: string[];
			subject_types_supported: string[];
			id_token_signing_alg_values_supported: string[];
		}>();
		t.deepEqual([found.response_types_supported, found.subject_types_supported], [['id_token'], ['public']]);
		t.true(found.id_token_signing_alg_values_supported.length > 0);
		const { pathname } = new URL(found.jwks_uri);
		t.is(pathname, '/openid/v1/jwks');
		const keys = (await raw('GET', pathname)).json<JSONWebKeySet>();
		// A stranger verifies a token with nothing but the published keys.
		const { payload } = await jwtVerify(await token(world, 'x', ['oidc-discovery-test']), createLocalJWKSet(keys), {
			issuer: found.issuer,
			audience: 'oidc-discovery-test',
		});
		t.is(payload.sub, `system:serviceaccount:${namespace}:x`);
		// Every service account may read both, as the bound role says.
		for (const path of ['/.well-known/openid-configuration', '/openid/v1/jwks']) {
			const authorization = `Bearer ${await token(world, 'x')}`;
			t.is((await raw('GET', path, { headers: { authorization } })).code, 200);
		}
	},
);

conformance('[sig-auth] SubjectReview should support SubjectReview API operations [Conformance]', async (world) => {
	const { api, namespace, t } = world;
	const reviews = api(AuthorizationV1Api);
	await account(world, 'x');
	const user = `system:serviceaccount:${namespace}:x`;
	const resourceAttributes = { namespace, verb: 'get', resource: 'pods', version: 'v1' };
	const all = await reviews.createSubjectAccessReview({ body: { spec: { user, resourceAttributes } } });
	const local = await reviews.createNamespacedLocalSubjectAccessReview({
		namespace,
		body: { metadata: { namespace }, spec: { user, resourceAttributes } },
	});
	const body = { spec: { resourceAttributes } };
	const self = await reviews.createSelfSubjectAccessReview({ body });
	t.deepEqual([all.status?.allowed, local.status?.allowed, self.status?.allowed], [false, false, true]);
	const admin = await reviews.createSubjectAccessReview({ body: { spec: { user, groups: ['system:masters'], resourceAttributes } } });
	t.true(admin.status?.allowed);
});

conformance('[sig-auth] Certificates API [Privileged:ClusterAdmin] should support CSR API operations [Conformance]', async (world) => {
	const { api, namespace, t } = world;
	const certificates = api(CertificatesV1Api);
	const labelSelector = `conformance-test=${namespace}`;
	t.teardown(() => certificates.deleteCollectionCertificateSigningRequest({ labelSelector }));
	const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
	const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
	const { Pkcs10CertificateRequestGenerator } = await x509();
	const request = await Pkcs10CertificateRequestGenerator.create({ name: 'CN=e2e-example', keys, signingAlgorithm: algorithm });
	const create = (): Promise<V1CertificateSigningRequest> =>
		certificates.createCertificateSigningRequest({
			body: {
				metadata: { generateName: 'e2e-example-csr-', labels: { 'conformance-test': namespace } },
				spec: {
					request: Buffer.from(request.toString('pem')).toString('base64'),
					signerName: 'example.com/e2e',
					usages: ['digital signature', 'key encipherment', 'server auth'],
					expirationSeconds: 3600,
				},
			},
		});
	const watching = await Watching.start<V1CertificateSigningRequest>(world, '/apis/certificates.k8s.io/v1/certificatesigningrequests', {
		labelSelector,
	});
	const [one] = [await create(), await create(), await create()];
	const name = one?.metadata?.name ?? '';
	t.is((await certificates.readCertificateSigningRequest({ name })).metadata?.uid, one?.metadata?.uid);
	t.is((await certificates.listCertificateSigningRequest({ labelSelector })).items.length, 3);
	const annotate = (key: string): object => ({ metadata: { annotations: { [key]: 'true' } } });
	const patched = await certificates.patchCertificateSigningRequest({ name, body: annotate('patched') }, merge);
	t.is(patched.metadata?.annotations?.['patched'], 'true');
	while ((await watching.next('MODIFIED')).object.metadata?.annotations?.['patched'] !== 'true');
	(patched.metadata as { annotations: Record<string, string> }).annotations['updated'] = 'true';
	t.is((await certificates.replaceCertificateSigningRequest({ name, body: patched })).metadata?.annotations?.['updated'], 'true');

	const approving = await certificates.readCertificateSigningRequestApproval({ name });
	approving.status = { conditions: [{ type: 'Approved', status: 'True', reason: 'E2E', message: 'Set from an e2e test' }] };
	const approved = await certificates.replaceCertificateSigningRequestApproval({ name, body: approving });
	t.is(approved.status?.conditions?.[0]?.reason, 'E2E');
	const approvalPatched = await certificates.patchCertificateSigningRequestApproval({ name, body: annotate('patchedapproval') }, merge);
	t.is(approvalPatched.metadata?.annotations?.['patchedapproval'], 'true');

	const status = await certificates.readCertificateSigningRequestStatus({ name });
	status.status = { ...status.status, certificate: await certificate(keys) };
	const withCertificate = await certificates.replaceCertificateSigningRequestStatus({ name, body: status });
	t.truthy(withCertificate.status?.certificate);
	const statusPatched = await certificates.patchCertificateSigningRequestStatus({ name, body: annotate('patchedstatus') }, merge);
	t.is(statusPatched.metadata?.annotations?.['patchedstatus'], 'true');

	await certificates.deleteCertificateSigningRequest({ name });
	t.is((await watching.next('DELETED')).object.metadata?.name, name);
	await certificates.deleteCollectionCertificateSigningRequest({ labelSelector });
	await eventually('all are gone', async () => (await certificates.listCertificateSigningRequest({ labelSelector })).items.length === 0);
});

/** Any certificate, as a signer would store it. */
async function certificate(keys: webcrypto.CryptoKeyPair): Promise<string> {
	const { X509CertificateGenerator } = await x509();
	const made = await X509CertificateGenerator.createSelfSigned({ name: 'CN=e2e-example', keys });
	return Buffer.from(made.toString('pem')).toString('base64');
}
