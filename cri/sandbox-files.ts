/** The pod's own files: resolv.conf and hosts, bind-mounted into every container (the engine writes none for a sandbox without network). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { readSmall } from '../host/small-file.ts';
import type { PodSandboxConfig } from './proto.ts';
import { hostResolvConf, resolvConfOf } from './network/resolv-conf.ts';

export interface SandboxFiles {
	readonly resolvConf: string;
	readonly hosts: string;
}

export function sandboxFiles(dataDir: string, name: string): SandboxFiles & { readonly dir: string } {
	const dir = join(dataDir, 'files', createHash('sha256').update(name).digest('hex').slice(0, 32));
	return { dir, resolvConf: join(dir, 'resolv.conf'), hosts: join(dir, 'hosts') };
}

/** Handed to other threads these few steps would take the processors for longer than they do. */
export function writeSandboxFiles(dataDir: string, name: string, config: PodSandboxConfig, ips: readonly string[] | undefined): void {
	const { dir, resolvConf, hosts } = sandboxFiles(dataDir, name);
	const dns = config.dnsConfig;
	const resolv = dns === undefined ? hostResolvConf(ips !== undefined) : resolvConfOf(dns);
	const hostsText = ips === undefined ? (readSmall('/etc/hosts') ?? hostsOf([], '')) : hostsOf(ips, config.hostname);
	mkdirSync(dir, { recursive: true });
	writeFileSync(resolvConf, resolv, { mode: 0o644 });
	writeFileSync(hosts, hostsText, { mode: 0o644 });
}

export async function removeSandboxFiles(dataDir: string, name: string): Promise<void> {
	await rm(sandboxFiles(dataDir, name).dir, { recursive: true, force: true });
}

/** A crash may have come between a sandbox's record and its files: those of sandboxes with other names go. */
export async function removeOtherSandboxFiles(dataDir: string, names: readonly string[]): Promise<void> {
	const kept = new Set(names.map((name) => basename(sandboxFiles(dataDir, name).dir)));
	const found = await readdir(join(dataDir, 'files')).catch(() => []);
	await Promise.all(found.filter((one) => !kept.has(one)).map((one) => rm(join(dataDir, 'files', one), { recursive: true, force: true })));
}

/** Pure: hosts(5) of a pod. */
export function hostsOf(ips: readonly string[], hostname: string): string {
	return [
		'127.0.0.1\tlocalhost',
		'::1\tlocalhost ip6-localhost ip6-loopback',
		'fe00::0\tip6-localnet',
		'ff00::0\tip6-mcastprefix',
		'ff02::1\tip6-allnodes',
		'ff02::2\tip6-allrouters',
		...(hostname === '' ? [] : ips.map((ip) => `${ip}\t${hostname}`)),
		'',
	].join('\n');
}
