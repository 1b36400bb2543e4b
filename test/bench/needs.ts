/** What a benchmark drives or runs on, looked for before it starts anything. */
import { commandExists } from '../../csi/pool/find-backends.ts';
import { testEngine } from '../tools/cri.ts';

interface Needs {
	/** Commands that it starts, with Debian's package of each. */
	readonly commands?: Readonly<Record<string, string>>;
	readonly engine: boolean;
}

export const NEEDS = {
	'pod-start': { engine: true },
	api: { engine: true, commands: { h2load: 'nghttp2-client', openssl: 'openssl' } },
	cri: { engine: true },
	csi: { engine: false, commands: { 'mkfs.ext4': 'e2fsprogs', mount: 'mount', truncate: 'coreutils' } },
	density: { engine: true },
	start: { engine: true, commands: { docker: 'docker.io' } },
} as const satisfies Readonly<Record<string, Needs>>;
export type Bench = keyof typeof NEEDS;

export interface Machine {
	readonly has: (command: string) => Promise<boolean>;
	/** The engine, or why there is none. */
	readonly engine: () => Promise<object | string>;
}

/** What this benchmark lacks, each in words for the one who started it. */
export async function missing(bench: Bench, machine: Machine = { has: commandExists, engine: testEngine }): Promise<readonly string[]> {
	const { engine, commands = {} }: Needs = NEEDS[bench];
	const lacks: string[] = [];
	for (const [command, debian] of Object.entries(commands))
		if (!(await machine.has(command))) lacks.push(`\`${command}\` is missing (Debian package ${debian})`);
	const found = engine ? await machine.engine() : {};
	if (typeof found === 'string') lacks.push(`there is no Docker Engine: ${found}`);
	return lacks;
}
