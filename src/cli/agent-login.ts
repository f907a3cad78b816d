/** Basic credentials for agents, which may change while connections live. */
export interface AgentLogin {
  readonly username: string;
  readonly password: string;
}

export interface ChangingLogin {
  /** Reads what is set at the time. */
  readonly access: AgentLogin;
  /** Without credentials those of the start count again. */
  readonly set: (login: AgentLogin | undefined) => void;
}

/** @param started those of the environment; both empty when there are none */
export function createAgentLogin(started: AgentLogin): ChangingLogin {
  let current = started;
  return {
    access: {
      get username() {
        return current.username;
      },
      get password() {
        return current.password;
      },
    },
    set: (login) => {
      current = login ?? started;
    },
  };
}
