/**
 * Credentials that a program makes, as a kubeconfig's `exec` names it: it runs when they are first needed, when they have expired, and when they
 * were refused (client-go's plugin/pkg/client/auth/exec).
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { resolve, sep } from 'node:path';
import { readYaml } from '../base/parse-yaml.ts';
import { abortable, withDeadline } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { AppError, messageOf } from '../base/errors.ts';
import { dataOrFile, type KubeconfigCluster } from './kubeconfig.ts';

/** A token, a certificate with its key, or both. */
export interface MadeCredentials {
	readonly token: string;
	readonly cert: string | undefined;
	readonly key: string | undefined;
}

/** The cluster as a program that asks for it (`provideClusterInfo`) is told of it: client.authentication.k8s.io Cluster. */
export interface ExecCluster {
	readonly server: string;
	readonly 'tls-server-name'?: string;
	readonly 'insecure-skip-tls-verify'?: true;
	/** Base64. */
	readonly 'certificate-authority-data'?: string;
	/** What the kubeconfig has for such programs; null for nothing. */
	readonly config: unknown;
}

/** The name of the cluster's extension that is for programs. */
const EXTENSION = 'client.authentication.k8s.io/exec';

/** What of a kubeconfig's cluster programs are told. AppErrors of a file that cannot be read. */
export async function execCluster(cluster: KubeconfigCluster): Promise<ExecCluster> {
	const name = cluster['tls-server-name'] ?? '';
	const ca = await dataOrFile(cluster['certificate-authority-data'], cluster['certificate-authority']);
	return {
		server: cluster.server ?? '',
		...(name === '' ? {} : { 'tls-server-name': name }),
		...(cluster['insecure-skip-tls-verify'] === true ? { 'insecure-skip-tls-verify': true } : {}),
		...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
		config: cluster.extensions?.find((one) => one.name === EXTENSION)?.extension ?? null,
	};
}

interface ExecConfig {
	readonly command: string;
	readonly args: readonly string[];
	readonly env: Readonly<Record<string, string>>;
	readonly apiVersion: string;
	/** It may not be run without a terminal, and a server has none. */
	readonly needsTerminal: boolean;
	readonly asksForCluster: boolean;
}

type Shape = Readonly<Record<string, unknown>>;

const V1 = 'client.authentication.k8s.io/v1';
const VERSIONS: readonly unknown[] = [V1, 'client.authentication.k8s.io/v1beta1'];
const MODES: readonly unknown[] = ['Never', 'IfAvailable', 'Always'];
/** Whoever wants credentials has given up long before. */
const RUN_MS = 60_000;

export class ExecCredentials {
	readonly #config: ExecConfig;
	readonly #cluster: ExecCluster | undefined;
	#made: { readonly credentials: MadeCredentials; readonly until: number } | undefined;
	#running: Promise<MadeCredentials> | undefined;

	/**
	 * AppError InvalidArgument names the field.
	 * @param folder what a relative command with a slash is below
	 * @param cluster absent: there is none to tell of
	 */
	constructor(exec: unknown, folder: string, cluster?: ExecCluster) {
		this.#config = configOf(exec, folder);
		if (this.#config.asksForCluster && cluster === undefined) throw invalid('provideClusterInfo: there is no cluster to tell of');
		this.#cluster = this.#config.asksForCluster ? cluster : undefined;
	}

	/** AppError Unauthenticated where the program gives none. */
	get(clock: Clock): Promise<MadeCredentials> {
		if (this.#made !== undefined && clock.now() <= this.#made.until) return Promise.resolve(this.#made.credentials);
		this.#running ??= this.#make(clock).finally(() => (this.#running = undefined));
		return this.#running;
	}

	/** They were not believed: others are made for the next request, unless they have been already. */
	refused(credentials: MadeCredentials): void {
		if (this.#made?.credentials === credentials) this.#made = undefined;
	}

	async #make(clock: Clock): Promise<MadeCredentials> {
		const { apiVersion, needsTerminal } = this.#config;
		if (needsTerminal) throw failed('exec plugin cannot support interactive mode: standard input is not a terminal');
		const { status, ...given } = decode(await this.#run(clock));
		if (given['apiVersion'] !== apiVersion)
			throw failed(`exec plugin is configured to use API version ${apiVersion}, plugin returned version ${String(given['apiVersion'])}`);
		if (typeof status !== 'object' || status === null) throw failed("exec plugin didn't return a status field");
		const said = status as Shape;
		const [token, cert, key] = ['token', 'clientCertificateData', 'clientKeyData'].map((name) => textOf(said[name])) as [
			string,
			string,
			string,
		];
		if (token === '' && cert === '' && key === '') throw failed("exec plugin didn't return a token or cert/key pair");
		if ((cert === '') !== (key === '')) throw failed('exec plugin returned only certificate or key, not both');
		const expires = said['expirationTimestamp'];
		const until = typeof expires === 'string' ? Date.parse(expires) : Number.POSITIVE_INFINITY;
		if (Number.isNaN(until)) throw failed('decoding stdout: expirationTimestamp is no time');
		const credentials = { token, cert: cert === '' ? undefined : cert, key: key === '' ? undefined : key };
		this.#made = { credentials, until };
		return credentials;
	}

	async #run(clock: Clock): Promise<string> {
		const { command, args, env, apiVersion } = this.#config;
		using deadline = withDeadline(clock, RUN_MS, `Running ${command}`);
		const cluster = this.#cluster === undefined ? {} : { cluster: this.#cluster };
		const asked = JSON.stringify({ kind: 'ExecCredential', apiVersion, spec: { ...cluster, interactive: false } });
		const child = spawn(command, args, {
			env: { ...process.env, ...env, KUBERNETES_EXEC_INFO: asked },
			stdio: ['ignore', 'pipe', 'inherit'],
			signal: deadline.signal,
			killSignal: 'SIGKILL',
		});
		const ended = new Promise<number | null>((end, fail) => child.once('error', fail).once('close', end));
		let written: string;
		let code: number | null;
		try {
			// What it started may hold its output open for longer than it lived.
			[written, code] = await abortable(Promise.all([text(child.stdout), ended]), deadline.signal);
		} catch (cause) {
			child.stdout.destroy();
			const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
			throw failed(missing ? `exec: executable ${command} not found` : `exec: ${messageOf(cause)}`, cause);
		}
		if (code !== 0) throw failed(`exec: executable ${command} failed with exit code ${code ?? -1}`);
		return written;
	}
}

/** What client-go's validation of a kubeconfig asks of it. */
function configOf(exec: unknown, folder: string): ExecConfig {
	if (typeof exec !== 'object' || exec === null) throw invalid('exec must be an object');
	const { command, args, env, apiVersion, interactiveMode, provideClusterInfo } = exec as Shape;
	if (typeof command !== 'string' || command === '') throw invalid('command must be specified to use exec authentication plugin');
	if (apiVersion === undefined || apiVersion === '') throw invalid('apiVersion must be specified to use exec authentication plugin');
	if (!VERSIONS.includes(apiVersion)) throw invalid(`exec plugin: invalid apiVersion ${JSON.stringify(apiVersion)}`);
	const unset = interactiveMode === undefined || interactiveMode === '';
	if (unset && apiVersion === V1) throw invalid('interactiveMode must be specified to use exec authentication plugin');
	if (!unset && !MODES.includes(interactiveMode)) throw invalid(`invalid interactiveMode: ${JSON.stringify(interactiveMode)}`);
	const variables = listOf('env', env).map((one) => {
		const { name, value } = (one ?? {}) as Shape;
		if (typeof name !== 'string' || name === '') throw invalid('env variable name must be specified to use exec authentication plugin');
		return [name, textOf(value)] as const;
	});
	return {
		command: command.includes(sep) ? resolve(folder, command) : command,
		args: listOf('args', args).map(String),
		env: Object.fromEntries(variables),
		apiVersion: apiVersion as string,
		needsTerminal: interactiveMode === 'Always',
		asksForCluster: provideClusterInfo === true,
	};
}

function decode(written: string): Shape {
	try {
		const value: unknown = readYaml(written);
		if (typeof value === 'object' && value !== null && (value as Shape)['kind'] === 'ExecCredential') return value as Shape;
	} catch {
		// What was written may be a secret: it is not part of the error.
	}
	throw failed('decoding stdout: it is no ExecCredential');
}

function listOf(name: string, value: unknown): readonly unknown[] {
	if (value === undefined || value === null) return [];
	if (!Array.isArray(value)) throw invalid(`exec ${name} must be a list`);
	return value;
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

function invalid(message: string): AppError {
	return new AppError('InvalidArgument', message);
}

function failed(message: string, cause?: unknown): AppError {
	return new AppError('Unauthenticated', `getting credentials: ${message}`, { cause });
}
