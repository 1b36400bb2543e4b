/** Stop signals in the pod's words and in CRI's: "SIGRTMIN+3" and SIGRTMINPLUS3. Pure. */
import { Signal } from '../../wire/gen/cri.ts';

export function toCriSignal(name: string | undefined): Signal {
	const key = (name ?? '').replace('+', 'PLUS').replace('-', 'MINUS');
	return Object.hasOwn(Signal, key) ? Signal[key as keyof typeof Signal] : Signal.RUNTIME_DEFAULT;
}

/** Undefined for the runtime's own choice. */
export function fromCriSignal(signal: Signal): string | undefined {
	const found = Object.entries(Signal).find(([key, value]) => value === signal && key.startsWith('SIG'))?.[0];
	return found?.replace('PLUS', '+').replace('MINUS', '-');
}
