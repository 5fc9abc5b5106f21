---- MODULE Ring ----
EXTENDS Integers, Sequences, TLC
(*
--algorithm Ring
variables
  channels = [node \in 1..3 |-> <<>>],   \* one before each
  token = [at |-> 1, rounds |-> 0];
define
  Next(node) == (node % 3) + 1
  Quiet ==
    /\ \A node \in 1..3 :
         channels[node] = <<>>
    /\ token.rounds < 5
end define;
macro send(to, what) begin
  channels[to] := Append(@, what);
end macro;
macro receive(from, into) begin
  await channels[from] # <<>>;
  into := Head(channels[from]);
  channels[from] := Tail(channels[from]);
end macro;
fair process Node \in 1..3
variables got = 0, mine \in {self, 0}, unset;
begin
  Work: while TRUE do
    either
      Send: send(Next(self), [kind |-> "work", got |-> got + 1]);
    or
      receive(self, got);
      if got > 3 then
        Stop: goto Done;
      end if;
    or
      await token.at = self;
      token.at := Next(self) || token.rounds := token.rounds + 1;
      Checked: assert Quiet \/ token.rounds >= 5;
    end either;
  end while;
end process;
fair+ process Watch = 0
variable last = 0;
begin
  Look:- last := token.at;
  Again:+ with node \in 1..3, other = Next(node) do
      when node # last;
      last := other;
    end with;
    goto Look;
end process;
end algorithm
*)
\* BEGIN TRANSLATION (chksum(pcal) = "9c362047" /\ chksum(tla) = "372ffd7d")
CONSTANT defaultInitValue
VARIABLES pc, channels, token

(* define statement *)
Next(node) == (node % 3) + 1
Quiet ==
  /\ \A node \in 1..3 :
       channels[node] = <<>>
  /\ token.rounds < 5

VARIABLES got, mine, unset, last

vars == << pc, channels, token, got, mine, unset, last >>

ProcSet == (1..3) \cup {0}

Init == (* Global variables *)
        /\ channels = [node \in 1..3 |-> <<>>]
        /\ token = [at |-> 1, rounds |-> 0]
        (* Process Node *)
        /\ got = [self \in 1..3 |-> 0]
        /\ mine \in [1..3 -> {self, 0}]
        /\ unset = [self \in 1..3 |-> defaultInitValue]
        (* Process Watch *)
        /\ last = 0
        /\ pc = [self \in ProcSet |-> CASE self \in 1..3 -> "Work"
                                        [] self = 0 -> "Look"]

Work(self) == /\ pc[self] = "Work"
              /\ \/ /\ pc' = [pc EXCEPT ![self] = "Send"]
                    /\ UNCHANGED <<channels, token, got>>
                 \/ /\ channels[self] # <<>>
                    /\ got' = [got EXCEPT ![self] = Head(channels[self])]
                    /\ channels' = [channels EXCEPT ![self] = Tail(channels[self])]
                    /\ IF got'[self] > 3
                          THEN /\ pc' = [pc EXCEPT ![self] = "Stop"]
                          ELSE /\ pc' = [pc EXCEPT ![self] = "Work"]
                    /\ token' = token
                 \/ /\ token.at = self
                    /\ token' = [token EXCEPT !.at = Next(self),
                                              !.rounds = token.rounds + 1]
                    /\ pc' = [pc EXCEPT ![self] = "Checked"]
                    /\ UNCHANGED <<channels, got>>
              /\ UNCHANGED << mine, unset, last >>

Send(self) == /\ pc[self] = "Send"
              /\ channels' = [channels EXCEPT ![(Next(self))] = Append(@, ([kind |-> "work", got |-> got[self] + 1]))]
              /\ pc' = [pc EXCEPT ![self] = "Work"]
              /\ UNCHANGED << token, got, mine, unset, last >>

Stop(self) == /\ pc[self] = "Stop"
              /\ pc' = [pc EXCEPT ![self] = "Done"]
              /\ UNCHANGED << channels, token, got, mine, unset, last >>

Checked(self) == /\ pc[self] = "Checked"
                 /\ Assert(Quiet \/ token.rounds >= 5, 
                           "Failure of assertion at line 37, column 16.")
                 /\ pc' = [pc EXCEPT ![self] = "Work"]
                 /\ UNCHANGED << channels, token, got, mine, unset, last >>

Node(self) == Work(self) \/ Send(self) \/ Stop(self) \/ Checked(self)

Look == /\ pc[0] = "Look"
        /\ last' = token.at
        /\ pc' = [pc EXCEPT ![0] = "Again"]
        /\ UNCHANGED << channels, token, got, mine, unset >>

Again == /\ pc[0] = "Again"
         /\ \E node \in 1..3:
              LET other == Next(node) IN
                /\ node # last
                /\ last' = other
         /\ pc' = [pc EXCEPT ![0] = "Look"]
         /\ UNCHANGED << channels, token, got, mine, unset >>

Watch == Look \/ Again

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == /\ \A self \in ProcSet: pc[self] = "Done"
               /\ UNCHANGED vars

Next == Watch
           \/ (\E self \in 1..3: Node(self))
           \/ Terminating

Spec == /\ Init /\ [][Next]_vars
        /\ \A self \in 1..3 : WF_vars(Node(self))
        /\ SF_vars((pc[0] # "Look") /\ Watch)

Termination == <>(\A self \in ProcSet: pc[self] = "Done")

\* END TRANSLATION 
====
