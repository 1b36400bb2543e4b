/** Real etcd servers for tests: Debian's 3.4 and, built from the Go modules, 3.5 and 3.6. One member or several, plain or over TLS. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.ts';
import { goTool } from './go-tool.ts';
import { ownPort } from './ports.ts';

export const ETCD_VERSIONS = ['3.4', '3.5', '3.6'] as const;
export type EtcdVersion = (typeof ETCD_VERSIONS)[number];

const MODULES = { '3.5': 'go.etcd.io/etcd/server/v3@v3.5.21', '3.6': 'go.etcd.io/etcd/server/v3@v3.6.5' };

const MAIN = `package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
`;

export async function etcdBinary(version: EtcdVersion): Promise<string> {
	if (version === '3.4') return '/usr/bin/etcd';
	return goTool({ name: `etcd-${version}`, modules: [MODULES[version]], main: MAIN });
}

export interface EtcdOptions {
	readonly version?: EtcdVersion;
	readonly members?: number;
	/** PEM texts; clients must then show a certificate of the same CA. */
	readonly tls?: { readonly caPem: string; readonly certPem: string; readonly keyPem: string };
}

/** A running etcd cluster on loopback; dispose ends it and removes its data. */
export class Etcd implements AsyncDisposable {
	readonly endpoints: readonly string[];
	readonly #commands: readonly (readonly string[])[];
	readonly #binary: string;
	readonly #dir: string;
	readonly #members: (ChildProcess | undefined)[];

	private constructor(binary: string, dir: string, endpoints: readonly string[], commands: readonly (readonly string[])[]) {
		this.#binary = binary;
		this.#dir = dir;
		this.endpoints = endpoints;
		this.#commands = commands;
		this.#members = commands.map(() => undefined);
	}

	static async start({ version = '3.4', members = 1, tls }: EtcdOptions = {}): Promise<Etcd> {
		const binary = await etcdBinary(version);
		const dir = await mkdtemp(join(tmpdir(), 'kubeling-etcd-'));
		const scheme = tls === undefined ? 'http' : 'https';
		const secure: string[] = [];
		if (tls !== undefined) {
			const files = { 'trusted-ca-file': tls.caPem, 'cert-file': tls.certPem, 'key-file': tls.keyPem };
			for (const [flag, pem] of Object.entries(files)) {
				await writeFile(join(dir, flag), pem, { mode: 0o600 });
				secure.push(`--${flag}=${join(dir, flag)}`);
			}
			secure.push('--client-cert-auth');
		}
		const ports: number[] = [];
		for (let i = 0; i < members * 2; i++) ports.push(await ownPort('127.0.0.1'));
		const peers = Array.from({ length: members }, (_, i) => `http://127.0.0.1:${ports[members + i]}`);
		const endpoints = Array.from({ length: members }, (_, i) => `${scheme}://127.0.0.1:${ports[i]}`);
		const cluster = peers.map((url, i) => `m${i}=${url}`).join(',');
		const commands = endpoints.map((url, i) => [
			`--name=m${i}`,
			`--data-dir=${join(dir, `m${i}`)}`,
			`--listen-client-urls=${url}`,
			`--advertise-client-urls=${url}`,
			`--listen-peer-urls=${peers[i]}`,
			`--initial-advertise-peer-urls=${peers[i]}`,
			`--initial-cluster=${cluster}`,
			'--unsafe-no-fsync',
			...secure,
		]);
		const etcd = new Etcd(
			binary,
			dir,
			endpoints,
			commands.map((c) => (version === '3.4' ? c.filter((f) => f !== '--unsafe-no-fsync') : c)),
		);
		await Promise.all(endpoints.map((_, i) => etcd.startMember(i)));
		return etcd;
	}

	/** Resolves once the member takes connections. */
	async startMember(i: number): Promise<void> {
		const port = Number(new URL(this.endpoints[i] as string).port);
		const member = spawn(this.#binary, [...(this.#commands[i] as readonly string[])], { stdio: 'ignore' });
		this.#members[i] = member;
		await eventually(`etcd (${this.#binary}) takes connections`, async () => {
			if (member.exitCode !== null) throw new Error(`etcd (${this.#binary}) ended with ${member.exitCode}`);
			return listens(port);
		});
	}

	async kill(i: number): Promise<void> {
		const member = this.#members[i];
		this.#members[i] = undefined;
		if (member === undefined) return;
		const gone = once(member, 'exit');
		member.kill('SIGKILL');
		await gone;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.#members.map((_, i) => this.kill(i)));
		await rm(this.#dir, { recursive: true, force: true });
	}
}

function listens(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
}
