/** As whom webhooks are called: the users of a kubeconfig, each for the hosts that its name says (upstream's AuthenticationInfoResolver). */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, messageOf } from '../../../base/errors.ts';
import { impersonation } from '../../../client/impersonation.ts';
import { dataOrFile, parseKubeconfig, type KubeconfigUser } from '../../../client/kubeconfig.ts';

/** What is shown to a webhook. */
export interface WebhookUser {
	/** Unique among all. */
	readonly name: string;
	readonly cert?: string | undefined;
	readonly key?: string | undefined;
	/** Read for each call: tokens in files are renewed. */
	headers(): Promise<Readonly<Record<string, string | string[]>>>;
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
	const { exec, 'auth-provider': provider, token, tokenFile, username = '', password = '' } = user;
	if (exec !== undefined) throw new AppError('InvalidArgument', `"${path}": user "${name}": credentials by exec are not supported`);
	if (provider !== undefined) throw new AppError('InvalidArgument', `"${path}": user "${name}": auth provider not supported`);
	const basic = username === '' && password === '' ? undefined : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
	return {
		name,
		cert: await dataOrFile(user['client-certificate-data'], user['client-certificate']),
		key: await dataOrFile(user['client-key-data'], user['client-key']),
		async headers() {
			const bearer = tokenFile === undefined || token !== undefined ? token : (await readFile(tokenFile, 'utf8')).trim();
			const authorization = bearer === undefined || bearer === '' ? basic : `Bearer ${bearer}`;
			return {
				...(authorization === undefined ? {} : { authorization }),
				...impersonation(user),
			};
		},
	};
}
