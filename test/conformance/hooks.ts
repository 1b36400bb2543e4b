/** Admission and conversion webhooks of a test's own: an HTTPS server in this process, reached through a Service of the test's namespace. */
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { json } from 'node:stream/consumers';
import {
	CoreV1Api,
	DiscoveryV1Api,
	type AdmissionregistrationV1WebhookClientConfig,
	type KubernetesObject,
	type V1MutatingWebhook,
	type V1RuleWithOperations,
	type V1ValidatingWebhook,
} from '@kubernetes/client-node';
import { realClock } from '../../base/clock.ts';
import { createAuthority, issue } from '../../wire/tls/authority.ts';
import type { World } from './suite.ts';

export interface Question {
	readonly uid: string;
	readonly operation: string;
	readonly name?: string;
	readonly kind: { readonly kind: string };
	readonly object: (KubernetesObject & { readonly data?: Record<string, string>; readonly spec?: object }) | null;
	readonly oldObject: (KubernetesObject & { readonly data?: Record<string, string> }) | null;
	/** Of a conversion. */
	readonly desiredAPIVersion: string;
	readonly objects: readonly (KubernetesObject & Record<string, unknown>)[];
}
export type Reply = (question: Question) => object | Promise<object>;

export interface Hooks {
	/** How a webhook configuration reaches the reply at this path. */
	client(path: string): AdmissionregistrationV1WebhookClientConfig & { readonly caBundle: string };
	/** Questions so far, in order: path and what was asked. */
	readonly asked: readonly { readonly path: string; readonly question: Question }[];
	readonly server: Server;
}

export const deny = (message: string): object => ({ allowed: false, status: { message, reason: message } });

export const patch = (...operations: readonly object[]): object => ({
	patchType: 'JSONPatch',
	patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

/** The rule most tests want: what happens to these resources. */
export const rule = (resource: string, operations = ['CREATE'], apiGroup = '', apiVersion = 'v1'): V1RuleWithOperations => ({
	apiGroups: [apiGroup],
	apiVersions: [apiVersion],
	operations,
	resources: [resource],
});

/** A webhook that concerns this test's namespace only. */
export function webhook(
	{ namespace }: World,
	hooks: Hooks,
	path: string,
	rules: V1RuleWithOperations[],
	more: Partial<V1MutatingWebhook & V1ValidatingWebhook> = {},
): V1MutatingWebhook & V1ValidatingWebhook {
	return {
		name: `${path.slice(1)}.${namespace}.kubeling.test`,
		admissionReviewVersions: ['v1'],
		sideEffects: 'None',
		timeoutSeconds: 10,
		clientConfig: hooks.client(path),
		namespaceSelector: { matchLabels: { 'conformance-test': namespace } },
		rules,
		...more,
	};
}

/** Replies to reviews of both kinds at these paths, for the length of the test. */
export async function startHooks({ api, namespace, t }: World, replies: Readonly<Record<string, Reply>>): Promise<Hooks> {
	const authority = await createAuthority({ commonName: 'webhook-ca', days: 1 }, realClock);
	const host = `hook.${namespace}.svc`;
	const { certPem, keyPem } = await issue(authority, { commonName: host, dnsNames: [host], usages: ['server'], days: 1 }, realClock);
	const asked: { path: string; question: Question }[] = [];
	const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
		const path = (request.url ?? '').split('?')[0] ?? '';
		replied(path, request)
			.then((answer) => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)))
			.catch((error: unknown) => response.writeHead(500).end(String(error)));
	});
	async function replied(path: string, body: NodeJS.ReadableStream): Promise<object> {
		const { apiVersion, kind, request } = (await json(body)) as { apiVersion: string; kind: string; request: Question };
		asked.push({ path, question: request });
		const first = kind === 'ConversionReview' ? { result: { status: 'Success' } } : { allowed: true };
		return { apiVersion, kind, response: { uid: request.uid, ...first, ...(await replies[path]?.(request)) } };
	}
	await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
	t.teardown(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	await serve({ api, namespace }, 'hook', port);
	const caBundle = Buffer.from(authority.certPem).toString('base64');
	return { client: (path) => ({ service: { namespace, name: 'hook', path, port: 8443 }, caBundle }), asked, server };
}

/** A Service on port 8443 whose only endpoint is this process. */
export async function serve({ api, namespace }: Pick<World, 'api' | 'namespace'>, name: string, port: number): Promise<void> {
	await api(CoreV1Api).createNamespacedService({
		namespace,
		body: { metadata: { name }, spec: { ports: [{ port: 8443, targetPort: port }] } },
	});
	await api(DiscoveryV1Api).createNamespacedEndpointSlice({
		namespace,
		body: {
			metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
			addressType: 'IPv4',
			ports: [{ name: '', port }],
			endpoints: [{ addresses: [ownAddress()] }],
		},
	});
}

/** Endpoints may not be loopback addresses. */
function ownAddress(): string {
	const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
	return addresses.find((a) => a.family === 'IPv4' && !a.internal)?.address ?? '';
}
