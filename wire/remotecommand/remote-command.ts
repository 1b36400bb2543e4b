/** What exec and attach are to whoever asked for them: the mirror image of the session that runs the command. */
import type { Readable, Writable } from 'node:stream';
import type { CommandEnd, TerminalSize } from './session.ts';

export interface RemoteCommand {
	/** Present when asked for; `end()` half-closes, so that the command sees the end of its input. */
	readonly stdin: Writable | undefined;
	readonly stdout: Readable | undefined;
	readonly stderr: Readable | undefined;
	/** Tells the terminal's size. */
	resize(size: TerminalSize): void;
	/** How the command ended; Unavailable as an error's text when the connection was lost before that was told. Output may still be unread. */
	readonly ended: Promise<CommandEnd>;
	/** Lets what was written arrive, and leaves. */
	leave(): Promise<void>;
	/** Leaves without waiting. */
	close(): void;
}
