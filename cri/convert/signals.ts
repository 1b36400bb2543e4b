/** CRI's stop signal as the engine spells it. */
import { Signal } from '../proto.ts';

const NAMES = new Map<number, string>(Object.entries(Signal).map(([name, number]) => [number, name]));

/** Undefined for RUNTIME_DEFAULT: the image's or the engine's own. SIGRTMINPLUS3 becomes SIGRTMIN+3. */
export function engineSignal(signal: number): string | undefined {
	const name = NAMES.get(signal);
	if (signal === 0 || name === undefined) return undefined;
	return name.replace('PLUS', '+').replace('MINUS', '-');
}

/** The CRI number of what the engine calls the signal; 0 where it is unknown. */
export function criSignal(name: string): Signal {
	const long = (name.startsWith('SIG') ? name : `SIG${name}`).replace('+', 'PLUS').replace('-', 'MINUS');
	return (Signal as Readonly<Record<string, Signal>>)[long] ?? 0;
}
