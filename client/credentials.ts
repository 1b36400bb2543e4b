/** From a kubeconfig context, or a pod's service account, to the options of a Transport. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { AppError, messageOf } from '../base/errors.ts';
import { hostPort } from '../base/host-port.ts';
import type { TransportOptions } from './http2.ts';
import type { SentHeaders } from './response-headers.ts';
import { impersonation } from './impersonation.ts';
import { dataOrFile, type Kubeconfig, type KubeconfigUser } from './kubeconfig.ts';

export interface Access {
	readonly transport: TransportOptions;
	/** The namespace of the context or of the pod; "default" where none is set. */
	readonly namespace: string;
}

/** client-go re-reads a token file after this long. */
const TOKEN_TTL_MS = 60_000;
/** Where every pod finds its service account. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** How to reach the cluster of a context (the current one unless named). Throws NotFound or FailedPrecondition naming what is missing. */
export function accessFromKubeconfig(config: Kubeconfig, clock: Clock, contextName = config.currentContext): Access {
	if (contextName === undefined) throw new AppError('FailedPrecondition', 'The kubeconfig has no current context');
	const context = config.contexts.get(contextName);
	if (context === undefined) throw new AppError('NotFound', `The kubeconfig has no context "${contextName}"`);
	const cluster = config.clusters.get(context.cluster);
	if (cluster?.server === undefined)
		throw new AppError('NotFound', `The context "${contextName}" names the cluster "${context.cluster}", which has no server`);
	const user = config.users.get(context.user) ?? {};
	// Going on without them would make a stranger of the user, and the server's refusal would not say why.
	for (const plugin of ['exec', 'auth-provider'] as const)
		if (user[plugin] !== undefined && user[plugin] !== null)
			throw new AppError(
				'Unimplemented',
				`The user "${context.user}" of the kubeconfig has "${plugin}": credential plugins are not supported`,
			);
	const serverName = cluster['tls-server-name'];
	return {
		namespace: context.namespace ?? 'default',
		transport: {
			server: cluster.server,
			clock,
			headers: headersOf(user),
			tls: async () => ({
				ca: await dataOrFile(cluster['certificate-authority-data'], cluster['certificate-authority']),
				cert: await dataOrFile(user['client-certificate-data'], user['client-certificate']),
				key: await dataOrFile(user['client-key-data'], user['client-key']),
			}),
			...(cluster['insecure-skip-tls-verify'] === undefined ? {} : { insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'] }),
			...(serverName === undefined || serverName === '' ? {} : { serverName }),
			...tokenOf(user, clock),
		},
	};
}

/** How a pod reaches its own cluster. Throws FailedPrecondition outside of one. */
export async function inClusterAccess(
	clock: Clock,
	env: Readonly<Record<string, string | undefined>>,
	folder = SERVICE_ACCOUNT,
): Promise<Access> {
	const host = env['KUBERNETES_SERVICE_HOST'];
	const port = env['KUBERNETES_SERVICE_PORT'];
	if (host === undefined || port === undefined)
		throw new AppError(
			'FailedPrecondition',
			'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: this is not a pod of a cluster',
		);
	const namespace = await readFile(join(folder, 'namespace'), 'utf8').catch(() => 'default');
	return {
		namespace: namespace.trim(),
		transport: {
			server: `https://${hostPort(host, port)}`,
			clock,
			tls: async () => ({ ca: await readFile(join(folder, 'ca.crt'), 'utf8') }),
			token: tokenFromFile(join(folder, 'token'), clock),
		},
	};
}

/** A token that is read anew every minute; when a later read fails the last one goes on being used. */
export function tokenFromFile(path: string, clock: Clock): () => Promise<string> {
	let token: string | undefined;
	let readAt = 0;
	return async () => {
		if (token !== undefined && clock.monotonic() - readAt < TOKEN_TTL_MS) return token;
		try {
			token = (await readFile(path, 'utf8')).trim();
			readAt = clock.monotonic();
		} catch (cause) {
			if (token === undefined)
				throw new AppError('Unauthenticated', `Cannot read the token file "${path}": ${messageOf(cause)}`, { cause });
		}
		return token;
	};
}

function tokenOf(user: KubeconfigUser, clock: Clock): Pick<TransportOptions, 'token'> {
	if (user.tokenFile !== undefined && user.tokenFile !== '') return { token: tokenFromFile(user.tokenFile, clock) };
	const { token } = user;
	return token === undefined || token === '' ? {} : { token: () => token };
}

function headersOf(user: KubeconfigUser): SentHeaders {
	const { username = '', password = '' } = user;
	const basic = username === '' ? {} : { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
	return { ...basic, ...impersonation(user) };
}
