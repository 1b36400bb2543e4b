/** As whom webhooks are called: the users of a kubeconfig, each for the hosts that its name says (upstream's AuthenticationInfoResolver). */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { ExecCredentials, type ExecCluster, type MadeCredentials } from '../../../client/exec-credentials.ts';
import { impersonation } from '../../../client/impersonation.ts';
import { dataOrFile, parseKubeconfig, type KubeconfigUser } from '../../../client/kubeconfig.ts';

/** What is shown to a webhook. */
export interface WebhookUser {
	/** Unique among all. */
	readonly name: string;
	/** Asked for each call: what a program made may be another one now. */
	certificate(clock: Clock): Promise<{ readonly cert?: string | undefined; readonly key?: string | undefined }>;
	/** Read for each call: tokens in files are renewed. */
	headers(clock: Clock): Promise<Readonly<Record<string, string | string[]>>>;
	/** The webhook answered 401. */
	refused?(): void;
}

/** The user for "host:port"; undefined: nobody. */
export type WebhookUsers = (target: string) => WebhookUser | undefined;

/** AppError InvalidArgument, NotFound. */
export async function readWebhookUsers(path: string): Promise<WebhookUsers> {
	let text: string;
	try {
		text = await readFile(path, 'utf8');
	} catch (cause) {
		throw new AppError('NotFound', `Cannot read the webhooks' kubeconfig "${path}": ${messageOf(cause)}`, { cause });
	}
	const { users: given, currentContext = '', contexts } = parseKubeconfig(text, dirname(path), path);
	const users = new Map<string, WebhookUser>();
	for (const [name, user] of given) users.set(name, await userOf(name, user, path));
	const current = users.get(contexts.get(currentContext)?.user ?? '');
	return (target) => {
		const name = namesFor(target).find((one) => users.has(one));
		return name === undefined ? current : users.get(name);
	};
}

/** The names of users for a target, the best one first: itself, its domains as "*.domain", the same without the usual port, "*". Pure. */
export function namesFor(target: string): readonly string[] {
	const wild = (host: string): readonly string[] => {
		const steps = host.split('.');
		return [host, ...steps.slice(1).map((_, i) => `*.${steps.slice(i + 1).join('.')}`)];
	};
	return [...wild(target), ...(target.endsWith(':443') ? wild(target.slice(0, -':443'.length)) : []), '*'];
}

async function userOf(name: string, user: KubeconfigUser, path: string): Promise<WebhookUser> {
	const { 'auth-provider': provider, username = '', password = '' } = user;
	if (provider !== undefined) throw new AppError('InvalidArgument', `"${path}": user "${name}": auth provider not supported`);
	const basic = username === '' && password === '' ? undefined : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
	const own = {
		cert: await dataOrFile(user['client-certificate-data'], user['client-certificate']),
		key: await dataOrFile(user['client-key-data'], user['client-key']),
	};
	const made = programOf(name, user, path);
	// What the file itself has comes first, as for client-go.
	if (made !== undefined && basic === undefined && own.cert === undefined && !hasToken(user)) return ofProgram(name, user, made);
	return {
		name,
		certificate: () => Promise.resolve(own),
		async headers() {
			const { token, tokenFile } = user;
			const bearer = tokenFile === undefined || token !== undefined ? token : (await readFile(tokenFile, 'utf8')).trim();
			const authorization = bearer === undefined || bearer === '' ? basic : `Bearer ${bearer}`;
			return { ...(authorization === undefined ? {} : { authorization }), ...impersonation(user) };
		},
	};
}

const hasToken = ({ token = '', tokenFile = '' }: KubeconfigUser): boolean => token !== '' || tokenFile !== '';

/**
 * AppError InvalidArgument names the kubeconfig and the user.
 * @param path of the kubeconfig
 * @param cluster absent where the user is one for many servers
 */
export function programOf(name: string, { exec }: KubeconfigUser, path: string, cluster?: ExecCluster): ExecCredentials | undefined {
	if (exec === undefined || exec === null) return undefined;
	try {
		return new ExecCredentials(exec, dirname(path), cluster);
	} catch (cause) {
		throw new AppError('InvalidArgument', `"${path}": user "${name}": ${messageOf(cause)}`, { cause });
	}
}

function ofProgram(name: string, user: KubeconfigUser, program: ExecCredentials): WebhookUser {
	let shown: MadeCredentials | undefined;
	return {
		name,
		certificate: (clock) => program.get(clock),
		async headers(clock) {
			shown = await program.get(clock);
			return { ...(shown.token === '' ? {} : { authorization: `Bearer ${shown.token}` }), ...impersonation(user) };
		},
		refused() {
			if (shown !== undefined) program.refused(shown);
		},
	};
}
