/**
 * Credentials of images from plug-ins that are run for them (credentialprovider.kubelet.k8s.io): a request as JSON on standard input, an answer on
 * standard output, kept as long as the answer says. Nothing of an answer is ever logged.
 */
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import type { Pod } from '../../api/gen/types.ts';
import { SERVICE_ACCOUNTS } from '../../api/resources.ts';
import { parseDuration } from '../../api/time.ts';
import { withDeadline } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { Counter, DEFAULT_BUCKETS, Gauge, Histogram, type Registry } from '../../base/metrics.ts';
import type { Log } from '../../base/log.ts';
import type { Client } from '../../client/client.ts';
import type { ImageAuth } from '../runtime/runtime.ts';
import type { Tokens } from '../volume/tokens.ts';
import type { AccountRef, Credential } from './credential.ts';
import { imageMatches } from './match.ts';
import type { LoadedProviders, ProviderConfig } from './provider-config.ts';

const EXEC_MS = 60_000;
const PURGE_MS = 15 * 60_000;
/** An answer is some credentials. */
const MAX_ANSWER = 2 ** 20;

export interface ProviderDeps {
	readonly client: Client;
	readonly tokens: Tokens;
	readonly clock: Clock;
	readonly log: Log;
	readonly registry: Registry;
}

interface Answer {
	readonly kind?: string;
	readonly apiVersion?: string;
	readonly cacheKeyType?: string;
	readonly cacheDuration?: string | null;
	readonly auth?: Readonly<Record<string, { readonly username?: string; readonly password?: string }>> | null;
}

interface Held {
	readonly auths: readonly Credential[];
	readonly until: number;
}

/** Whose the credentials are, for those plug-ins that are told of the pod's service account. */
interface Account {
	readonly key: string;
	readonly token: string;
	readonly annotations: Readonly<Record<string, string>>;
	readonly ref?: AccountRef;
}

export class CredentialProviders {
	readonly #providers: readonly ProviderConfig[];
	readonly #folder: string;
	readonly #deps: ProviderDeps;
	readonly #cache = new Map<string, Held>();
	readonly #running = new Map<string, Promise<Answer>>();
	readonly #errors: Counter;
	readonly #duration: Histogram;
	#purgedAt = 0;

	constructor({ providers, hash }: LoadedProviders, folder: string, deps: ProviderDeps) {
		this.#providers = providers;
		this.#folder = folder;
		this.#deps = deps;
		const registers = [deps.registry];
		const info = new Gauge({
			...{ name: 'kubelet_credential_provider_config_info', labelNames: ['hash'], registers },
			help: '[ALPHA] Information about the last applied credential provider configuration with hash as label',
		});
		info.set({ hash }, 1);
		this.#errors = new Counter({
			...{ name: 'kubelet_credential_provider_plugin_errors_total', labelNames: ['plugin_name'], registers },
			help: '[ALPHA] Number of errors from credential provider plugin',
		});
		this.#duration = new Histogram({
			...{ name: 'kubelet_credential_provider_plugin_duration', labelNames: ['plugin_name'], registers, buckets: DEFAULT_BUCKETS },
			help: '[ALPHA] Duration of execution in seconds for credential provider plugin',
		});
	}

	/** Of all plug-ins that know the image; one that fails is told of in the log. */
	async credentials(pod: Pod, image: string, signal: AbortSignal): Promise<readonly Credential[]> {
		const asked = this.#providers.filter((p) => p.matchImages.some((pattern) => imageMatches(pattern, image)));
		const found = await Promise.all(
			asked.map((provider) =>
				this.#of(provider, pod, image, signal).catch((error: unknown) => {
					if (signal.aborted) throw error;
					this.#deps.log.error('a credential provider gave none', { plugin: provider.name, image, reason: messageOf(error) });
					return [];
				}),
			),
		);
		return found.flat();
	}

	async #of(provider: ProviderConfig, pod: Pod, image: string, signal: AbortSignal): Promise<readonly Credential[]> {
		const account = await this.#account(provider, pod, signal);
		if (account === undefined) return [];
		const registry = image.split('/')[0] ?? '';
		const keyOf = (part: string): string => JSON.stringify([provider.name, part, account.key]);
		const now = this.#deps.clock.now();
		this.#purge(now);
		for (const part of [image, registry, 'global']) {
			const held = this.#cache.get(keyOf(part));
			if (held !== undefined && held.until > now) return held.auths.filter(({ auth }) => imageMatches(auth.serverAddress ?? '', image));
		}
		const answer = await this.#ask(provider, image, account, signal);
		const auths = Object.entries(answer.auth ?? {}).map(([serverAddress, { username = '', password = '' }]): Credential => {
			const auth: ImageAuth = { serverAddress, username, password };
			return { auth, source: account.ref === undefined ? { type: 'node' } : { type: 'account', ...account.ref } };
		});
		const part = { Image: image, Registry: registry, Global: 'global' }[answer.cacheKeyType ?? ''];
		if (part === undefined)
			throw new AppError(
				'InvalidArgument',
				`credential provider plugin did not return a valid cacheKeyType: "${answer.cacheKeyType ?? ''}"`,
			);
		const { cacheDuration } = answer;
		const keptMs =
			cacheDuration === undefined || cacheDuration === null ? provider.defaultCacheMs : Number(parseDuration(cacheDuration) / 1_000_000n);
		if (keptMs > 0) this.#cache.set(keyOf(part), { auths, until: this.#deps.clock.now() + keptMs });
		return auths.filter(({ auth }) => imageMatches(auth.serverAddress ?? '', image));
	}

	/** Undefined where the plug-in is not to be asked for this pod. */
	async #account({ tokenAttributes }: ProviderConfig, pod: Pod, signal: AbortSignal): Promise<Account | undefined> {
		if (tokenAttributes === undefined) return { key: '', token: '', annotations: {} };
		const { serviceAccountTokenAudience, requireServiceAccount, cacheType } = tokenAttributes;
		const name = pod.spec?.serviceAccountName ?? '';
		if (name === '') return requireServiceAccount ? undefined : { key: '', token: '', annotations: {} };
		const namespace = pod.metadata.namespace ?? '';
		const { metadata } = await this.#deps.client.get(SERVICE_ACCOUNTS, `${namespace}/${name}`, { signal });
		const had = metadata.annotations ?? {};
		if (tokenAttributes.requiredServiceAccountAnnotationKeys.some((key) => had[key] === undefined)) return undefined;
		const keys = [...tokenAttributes.requiredServiceAccountAnnotationKeys, ...tokenAttributes.optionalServiceAccountAnnotationKeys];
		const annotations = Object.fromEntries(keys.filter((key) => had[key] !== undefined).map((key) => [key, had[key] ?? '']));
		const { token } = await this.#deps.tokens.held(pod, serviceAccountTokenAudience, undefined, signal);
		const key = JSON.stringify([namespace, name, metadata.uid, Object.entries(annotations).toSorted(), cacheType === 'Token' ? token : '']);
		return { key, token, annotations, ref: { uid: metadata.uid ?? '', namespace, name } };
	}

	/** Runs it once for those who ask the same at the same time. */
	#ask(provider: ProviderConfig, image: string, account: Account, signal: AbortSignal): Promise<Answer> {
		const key = JSON.stringify([provider.name, image, account.key, account.token]);
		const running = this.#running.get(key) ?? this.#run(provider, image, account, signal).finally(() => this.#running.delete(key));
		this.#running.set(key, running);
		return running;
	}

	async #run(provider: ProviderConfig, image: string, { token, annotations }: Account, signal: AbortSignal): Promise<Answer> {
		const { name, apiVersion, args, env } = provider;
		const { clock } = this.#deps;
		const request = {
			...{ kind: 'CredentialProviderRequest', apiVersion, image },
			...(token === '' ? {} : { serviceAccountToken: token }),
			...(Object.keys(annotations).length === 0 ? {} : { serviceAccountAnnotations: annotations }),
		};
		const from = clock.monotonic();
		let text: string;
		try {
			using deadline = withDeadline(clock, EXEC_MS, `credential provider plugin ${name}`, signal);
			const own = Object.fromEntries(env.map((e) => [e.name, e.value]));
			text = await answerOf(join(this.#folder, name), args, { ...process.env, ...own }, JSON.stringify(request), deadline.signal);
		} catch (cause) {
			this.#errors.inc({ plugin_name: name });
			throw new AppError('Unavailable', `error execing credential provider plugin ${name} for image ${image}: ${messageOf(cause)}`);
		} finally {
			this.#duration.observe({ plugin_name: name }, (clock.monotonic() - from) / 1000);
		}
		let answer: Answer;
		try {
			answer = JSON.parse(text) as Answer;
		} catch {
			// The text may hold credentials.
			throw new AppError('InvalidArgument', 'error decoding credential provider plugin response from stdout');
		}
		if (answer.apiVersion !== apiVersion || answer.kind !== 'CredentialProviderResponse')
			throw new AppError(
				'InvalidArgument',
				`apiVersion from credential plugin response did not match expected apiVersion:${apiVersion}, actual apiVersion:${answer.apiVersion ?? ''}`,
			);
		return answer;
	}

	#purge(now: number): void {
		if (now - this.#purgedAt < PURGE_MS) return;
		this.#purgedAt = now;
		for (const [key, { until }] of this.#cache) if (until <= now) this.#cache.delete(key);
	}
}

function answerOf(command: string, args: readonly string[], env: NodeJS.ProcessEnv, input: string, signal: AbortSignal): Promise<string> {
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env, signal });
		let [out, said] = ['', ''];
		child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
			out += chunk;
			if (out.length > MAX_ANSWER) child.kill('SIGKILL');
		});
		child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said = `${said}${chunk}`.slice(-1000)));
		child.once('error', (error) => reject(signal.aborted ? (signal.reason as Error) : error));
		child.once('close', (code, killed) => {
			if (code === 0) resolve(out);
			else reject(new AppError('Internal', `${code === null ? `signal ${killed ?? ''}` : `exit status ${code}`}: ${said.trim()}`));
		});
		child.stdin.on('error', () => {});
		child.stdin.end(input);
	});
}
