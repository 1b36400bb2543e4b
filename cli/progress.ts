/** What a person sees while a cluster starts: a line a step, redrawn in place on a terminal, plain lines elsewhere. */
import type { WriteStream } from 'node:tty';
import { defaultDataDir } from '../cluster/data-folder.ts';
import type { ClusterEvent } from '../cluster/events.ts';

export class ProgressView {
	readonly #out: NodeJS.WriteStream | WriteStream;
	#open = '';

	constructor(out: NodeJS.WriteStream | WriteStream) {
		this.#out = out;
	}

	show(event: ClusterEvent): void {
		switch (event.type) {
			case 'step':
				if (!this.#out.isTTY) return;
				this.#clear();
				this.#open = `  ${event.text} …`;
				this.#out.write(this.#open);
				return;
			case 'done':
				this.#clear();
				this.#out.write(`✔ ${event.text.padEnd(60)} ${seconds(event.ms)}\n`);
				return;
			case 'ready':
			case 'failed':
				this.#clear();
		}
	}

	/** The last words of a start: where it is, and the next three commands to try. */
	welcome(event: ClusterEvent & { readonly type: 'ready' }, kubeconfig: string | undefined, detached: boolean): void {
		const flag = whichFlags(event.access.name, event.dataDir);
		const lines = [
			'',
			`Kubeling ${event.resumed ? 'is back' : 'is up'} after ${seconds(event.ms)}: ${event.access.server}, node "${event.nodeName}".`,
			kubeconfig === undefined
				? `Its kubeconfig: kubeling kubeconfig${flag}`
				: `Context "${event.access.name}" is current in ${kubeconfig}.`,
			'',
			'Try:',
			'  kubectl get nodes -o wide',
			"  kubectl run hello --image=busybox --restart=Never -- sh -c 'echo hello; sleep 3600'",
			'  kubectl logs -f hello',
			'',
			detached
				? `It runs in the background: kubeling status${flag}, kubeling logs -f${flag}, kubeling down${flag}.`
				: `Ctrl-C stops Kubeling and leaves containers running; "kubeling down${flag}" stops them too.`,
			'',
		];
		this.#out.write(lines.join('\n'));
	}

	note(text: string): void {
		this.#clear();
		this.#out.write(`${text}\n`);
	}

	#clear(): void {
		if (this.#open !== '' && this.#out.isTTY) this.#out.write(`\r${' '.repeat(this.#open.length)}\r`);
		this.#open = '';
	}
}

/** The flags by which later verbs find this cluster. Pure. */
export function whichFlags(name: string, dataDir: string): string {
	const folder = dataDir === defaultDataDir(name) ? '' : ` --data-dir ${dataDir}`;
	return `${name === 'kubeling' ? '' : ` --name ${name}`}${folder}`;
}

function seconds(ms: number): string {
	return `${(ms / 1000).toFixed(1)} s`;
}

/** A size as people read it. */
export function sizeText(bytes: number): string {
	const mib = bytes / (1024 * 1024);
	return mib < 1 ? `${Math.ceil(bytes / 1024)} KiB` : `${mib.toFixed(1)} MiB`;
}
