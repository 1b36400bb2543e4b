/**
 * What the kernel's log says of processes that were ended for want of memory.
 *
 *   idle --"invoked oom-killer"--> killing --"Killed process", or the line of a group--> idle
 */

export interface OomKill {
	/** The group whose limit it was; "/" for the machine's own memory. */
	readonly limit: string;
	readonly process: string;
	readonly pid: number;
}

/** The lines that the kernel writes, as cAdvisor's oomparser knows them: since 5.0, before, and the last of both. */
const BEGIN = /invoked oom-killer:/;
const GROUP = /oom-kill:constraint=.*,mems_allowed=.*,oom_memcg=(.*),task_memcg=.*,task=(.*),pid=(\d+),uid=/;
const OLD_GROUP = /Task in .* killed as a result of limit of (.*)/;
const KILLED = /Killed process (\d+) \((.+)\)/;

/** Pure but for what it has read so far. */
export class OomReader {
	#limit: string | undefined;

	/** The kill that the message completes. */
	next(message: string): OomKill | undefined {
		if (this.#limit === undefined) {
			if (BEGIN.test(message)) this.#limit = '/';
			return undefined;
		}
		const group = GROUP.exec(message);
		if (group !== null) return this.#end({ limit: group[1] ?? '', process: group[2] ?? '', pid: Number(group[3]) });
		this.#limit = OLD_GROUP.exec(message)?.[1] ?? this.#limit;
		const killed = KILLED.exec(message);
		return killed === null ? undefined : this.#end({ limit: this.#limit, process: killed[2] ?? '', pid: Number(killed[1]) });
	}

	#end(kill: OomKill): OomKill {
		this.#limit = undefined;
		return kill;
	}
}

/**
 * Names the group, whosever limit it was; a line alone says it. The kernel writes it before it ends the process, though of no more than ten kills in five seconds (oom_rs in
 * mm/oom_kill.c), but where the whole group ends (memory.oom.group).
 */
const VICTIMS = [
	/oom-kill:constraint=.*,task_memcg=(.*),task=.*,pid=\d+,uid=/,
	/Task in (.*) killed as a result of limit of /,
	/Tasks in (.*) are going to be killed due to memory\.oom\.group set/,
];

/** Pure: the group whose process the message says to end, as the kernel names it from the top of all. */
export function victimGroup(message: string): string | undefined {
	for (const pattern of VICTIMS) {
		const group = pattern.exec(message)?.[1];
		if (group !== undefined) return group;
	}
	return undefined;
}
